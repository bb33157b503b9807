// One jar for everything, with the files of META-INF/services and without.
def java = new File(System.getProperty('java.home'), 'bin/java').path
def run = { classifier ->
  def jar = new File(basedir, "target/repackaged-1-${classifier}.jar").path
  def process = new ProcessBuilder(java, '-cp', jar, 'demo.Main').redirectErrorStream(true).start()
  def output = process.inputStream.text
  [process.waitFor(), output]
}

def (exit, output) = run('whole')
assert exit == 0 : output
assert output.contains('[7, 8, 9]') : output

(exit, output) = run('without-services')
assert exit != 0 : output
assert output.contains('java.lang.IllegalStateException') : output
assert output.contains('dev.streamfence:streamfence-simulator') : output
assert output.contains('META-INF/services/dev.streamfence.') : output
return true

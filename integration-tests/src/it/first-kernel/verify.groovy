import java.util.jar.JarFile

// What compilers and Gradle read in the processor's jar.
def jars = []
new File(localRepositoryPath, 'dev/streamfence/streamfence-processor').eachFileRecurse {
  if (it.name.endsWith('.jar')) jars << it
}
assert jars.size() == 1
new JarFile(jars[0]).withCloseable { jar ->
  def linesOf = { jar.getInputStream(jar.getEntry(it)).readLines() }
  def processor = 'dev.streamfence.processor.KernelProcessor'
  assert linesOf('META-INF/services/javax.annotation.processing.Processor') == [processor]
  assert linesOf('META-INF/gradle/incremental.annotation.processors') == [processor + ',isolating']
}

// What the pages say that tests print.
def pageOf = { new File(basedir, '../../../../examples/' + it).text }
def log = new File(basedir, 'build.log').text
def refusal = pageOf('FIRST_KERNEL.md').find(/(?m)^saxpy: parameter .*$/)
def explained = pageOf('FILTER_OPERATOR.md').find(/(?ms)^stream 2 #.*?(?=^```$)/)
assert refusal != null && explained != null
assert log.contains(refusal)
assert log.contains(explained)

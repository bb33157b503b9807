// Every interface has its launcher; then javac alone, in processes of their own as a build starts
// them: without the processor, with it, and without it but with what it has generated. The times are
// for people, nothing is asserted of them: other user builds run beside this one, unless
// -Dinvoker.test=large runs it alone. Only then are all interfaces timed, which the build itself has
// compiled by now; beside others 50 of them show that javac alone takes the same sources.
def sources = []
new File(basedir, 'src/main/java').eachFileRecurse { if (it.name.endsWith('.java')) sources << it }
sources.sort { it.path }
def launchers = { File classes ->
  def count = 0
  classes.eachFileRecurse { if (it.name ==~ /Kernels\d+Launcher\.class/) count++ }
  count
}
assert sources.size() == 200
assert launchers(new File(basedir, 'target/classes')) == 200

def jars = []
new File(localRepositoryPath.path).eachFileRecurse {
  if (it.name ==~ /(streamfence-(annotations|ptx|runtime|processor)|javapoet|jspecify)-.*(?<!tests)\.jar/) jars << it.path
}
assert jars.size() == 6
def path = jars.join(File.pathSeparator)

// 'none' leaves launchers out, 'processor' generates them, 'generated' compiles those of that run.
def secondsOf = { int interfaces, String kind ->
  def classes = new File(basedir, "target/javac-$interfaces-$kind")
  def generated = new File(basedir, "target/javac-$interfaces-generated-sources")
  generated.mkdirs()
  def ptx = new File(classes, 'kernels/steps.ptx')
  ptx.parentFile.mkdirs()
  ptx.text = new File(basedir, 'src/main/resources/kernels/steps.ptx').text
  def arguments = new File(classes.path + '.args')
  def options = ['-cp', path, '-d', classes.path, '-Xlint:all,-processing', '-Werror']
  options += kind == 'processor' ? ['-processorpath', path, '-s', generated.path] : ['-proc:none']
  options += sources.take(interfaces)*.path
  if (kind == 'generated') {
    generated.eachFileRecurse { if (it.name.endsWith('.java')) options << it.path }
  }
  arguments.text = options.collect { '"' + it.replace('\\', '\\\\') + '"' }.join('\n')
  def log = new File(classes.path + '.log')
  def start = System.nanoTime()
  def status = new ProcessBuilder(System.getProperty('java.home') + '/bin/javac', '@' + arguments.path)
      .redirectErrorStream(true).redirectOutput(log).start().waitFor()
  def seconds = (System.nanoTime() - start) / 1e9
  assert status == 0 : log.text
  assert launchers(classes) == (kind == 'none' ? 0 : interfaces)
  seconds
}
def isAlone = System.getProperty('invoker.test') == 'large'
def times = (isAlone ? [50, 200] : [50]).collect { interfaces ->
  def none = secondsOf(interfaces, 'none')
  def processor = secondsOf(interfaces, 'processor')
  def generated = secondsOf(interfaces, 'generated')
  String.format(Locale.ROOT,
      '%d interfaces %.1f s without the processor and %.1f s with it, %.1f ms for each,'
          + ' of which %.1f ms are not the compilation of its launcher',
      interfaces, none, processor, 1e3 * (processor - none) / interfaces,
      1e3 * (processor - generated) / interfaces)
}
// Not System.out, which is this build's own log.
new PrintStream(new FileOutputStream(FileDescriptor.out)).println(
    'javac at ten kernels per interface: ' + times.join('; '))

// Every interface has its launcher; then javac alone, with the processor and without, in processes
// of their own as a build starts them. The times are for people, nothing is asserted of them.
def sources = []
new File(basedir, 'src/main/java').eachFileRecurse { if (it.name.endsWith('.java')) sources << it }
sources.sort { it.path }
def launchers = { File classes ->
  def count = 0
  classes.eachFileRecurse { if (it.name ==~ /Kernels\d+Launcher\.class/) count++ }
  count
}
assert sources.size() == 500
assert launchers(new File(basedir, 'target/classes')) == 500

def jars = []
new File(localRepositoryPath.path).eachFileRecurse {
  if (it.name ==~ /(streamfence-(annotations|runtime|processor)|javapoet|jspecify)-.*(?<!tests)\.jar/) jars << it.path
}
assert jars.size() == 5
def path = jars.join(File.pathSeparator)

def secondsOf = { int interfaces, boolean isProcessed ->
  def classes = new File(basedir, "target/javac-$interfaces-$isProcessed")
  def ptx = new File(classes, 'kernels/steps.ptx')
  ptx.parentFile.mkdirs()
  ptx.text = new File(basedir, 'src/main/resources/kernels/steps.ptx').text
  def arguments = new File(classes.path + '.args')
  def options = ['-cp', path, '-d', classes.path, '-Xlint:all,-processing', '-Werror']
  options += isProcessed ? ['-processorpath', path] : ['-proc:none']
  options += sources.take(interfaces)*.path
  arguments.text = options.collect { '"' + it.replace('\\', '\\\\') + '"' }.join('\n')
  def log = new File(classes.path + '.log')
  def start = System.nanoTime()
  def status = new ProcessBuilder(System.getProperty('java.home') + '/bin/javac', '@' + arguments.path)
      .redirectErrorStream(true).redirectOutput(log).start().waitFor()
  def seconds = (System.nanoTime() - start) / 1e9
  assert status == 0 : log.text
  assert launchers(classes) == (isProcessed ? interfaces : 0)
  seconds
}
def times = [50, 500].collect { interfaces ->
  String.format(Locale.ROOT, '%d interfaces %.1f s without the processor and %.1f s with it',
      interfaces, secondsOf(interfaces, false), secondsOf(interfaces, true))
}
// Not System.out, which is this build's own log.
new PrintStream(new FileOutputStream(FileDescriptor.out)).println(
    'javac at ten kernels per interface: ' + times.join('; '))

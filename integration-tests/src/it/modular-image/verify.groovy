import java.util.spi.ToolProvider

// An image of the JDK modules that the runtime needs, and all jars on the module path beside it.
def libraries = new File(basedir, 'target/lib').listFiles()
def natives = libraries.find { it.name.startsWith('jcuda-natives-') }
def jars = [new File(basedir, 'target/modular-image-1.jar'), *(libraries - natives)]
def modulePath = jars*.path.join(File.pathSeparator)
def image = new File(basedir, 'target/image')
def java = new File(image, 'bin/java').path
def run = { List<String> command ->
  def process = new ProcessBuilder(command).redirectErrorStream(true).start()
  def output = process.inputStream.text
  [process.waitFor(), output]
}
def tool = { String name, String... arguments ->
  def output = new StringWriter()
  def writer = new PrintWriter(output)
  int exit = ToolProvider.findFirst(name).orElseThrow().run(writer, writer, arguments)
  [exit, output.toString()]
}

// What BUILD.md says is what jdeps finds. Of the desktop, JNA uses the windows that it is handed alone;
// the flight recorder's events are left out where an image lacks its module, as the one below does.
def (exit, needed) = tool('jdeps', '--multi-release', '17', '-s', '--module-path', modulePath, *jars*.path)
assert exit == 0 : needed
def modules = needed.readLines().collect { it.split(' -> ').last() }.findAll { it =~ /^(java|jdk)\./ }.toSet()
assert modules == ['java.base', 'java.desktop', 'java.logging', 'jdk.jfr'].toSet() : needed
assert needed.readLines().findAll { it.endsWith('-> java.desktop') }.every { it.startsWith('jna-') } : needed
assert needed.readLines().findAll { it.endsWith('-> jdk.jfr') } == ['dev.streamfence.runtime -> jdk.jfr'] : needed

def output
(exit, output) = tool('jlink', '--add-modules', 'java.base,java.logging', '--output', image.path)
assert exit == 0 : output
(exit, output) = run([java, '--module-path', modulePath, '-m', 'demo/demo.Main'])
assert exit == 0 : output
assert output.contains('module demo [7, 8, 9]') : output

// A GPU's natives are one more jar on the module path. Where no GPU is, they miss the driver and nothing else.
(exit, output) = run([java, '--module-path', modulePath + File.pathSeparator + natives, '-m', 'demo/demo.Main', 'gpu'])
assert exit == 0 ? output.contains('[7, 8, 9]') : output.contains('DeviceException: ') : output
assert !output.contains('no CUDA binding') : output

// The runtime itself cannot be in the image: jlink takes no automatic module, and JCuda and JNA are two.
(exit, output) = tool('jlink', '--module-path', modulePath, '--add-modules', 'dev.streamfence.runtime',
    '--output', new File(basedir, 'target/whole-image').path)
assert exit != 0
assert output =~ /automatic module cannot be used with jlink: (jcuda|com\.sun\.jna) from/ : output
['jcuda', 'com.sun.jna'].each { name ->
  def described
  (exit, described) = tool('jar', '--describe-module', '--file', jars.find { it.name =~ (name == 'jcuda' ? /^jcuda-/ : /^jna-/) }.path)
  assert described =~ /(?m)^${name}@\S+ automatic$/ : described
}
return true

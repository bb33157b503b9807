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

// What the page says that the second test prints.
def page = new File(basedir, '../../../../examples/FIRST_KERNEL.md').text
def refusal = page.find(/(?m)^saxpy: parameter .*$/)
assert refusal != null
assert new File(basedir, 'build.log').text.contains(refusal)

// What lands on the class path of users, without what their tests alone take.
def jars = { module ->
  new File(basedir, module + '/target/class-path.txt').text.split(File.pathSeparator)
      .collect { new File(it) }
      .findAll { it.isFile() && !(it.name =~ /junit|opentest4j|apiguardian/) }
}
def natives = { module -> jars(module)*.name.findAll { it.startsWith('jcuda-natives') } }
def megabytes = { module -> jars(module)*.length().sum() / 1e6 }
['library', 'linux'].each { module ->
  printf('%s: %.1f MB, %s%n', module, megabytes(module), jars(module)*.name.sort())
}
assert natives('library') == []
// Nor columns, which kernels of arrays do not take.
assert ['library', 'linux'].every { !jars(it)*.name.any { it.startsWith('streamfence-exchange') } }
assert natives('linux').size() == 1 && natives('linux')[0].endsWith('-linux-x86_64.jar')
// The other half, which the runtime brings itself, is of the same version.
assert jars('linux')*.name.contains(natives('linux')[0].replace('-natives', '').replace('-linux-x86_64', ''))
assert megabytes('library') < 5
assert megabytes('linux') < 15
return true

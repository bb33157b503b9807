def log = new File(basedir, 'build.log').text
def warnings = log.readLines().findAll { it.contains('[UnseenModule]') && it.contains('VectorKernels.java') }
assert warnings.toSet().size() == 1
assert warnings[0].contains('kernels/vector.ptx is not visible to the compiler')
assert warnings[0].contains('-Astreamfence.resources')
// The second build, which names the folder, has no warning under -Werror and knows the code.
def launcher = new File(basedir, 'target/generated-sources/annotations/demo/VectorKernelsLauncher.java').text
assert launcher =~ /"[0-9a-f]{64}"/
return true

// Whoever only has the processor on the class path gets no launcher, and no word about it.
def launcher = { new File(basedir, it + '/target/classes/demo/CountingKernelsLauncher.class').isFile() }
assert launcher('on-processor-path')
assert !launcher('on-class-path')
assert new File(basedir, 'on-class-path/target/classes/demo/CountingKernels.class').isFile()

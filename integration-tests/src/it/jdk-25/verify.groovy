// A build with the processor on the class path alone gets no launcher and no message about it.
def launcher = { new File(basedir, it + '/target/classes/demo/CountingKernelsLauncher.class').isFile() }
assert launcher('on-processor-path')
assert !launcher('on-class-path')
assert new File(basedir, 'on-class-path/target/classes/demo/CountingKernels.class').isFile()

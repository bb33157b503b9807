def log = new File(basedir, 'build.log').text
assert log =~ /VectorKernels\.java:\[15,\d+\] \[StoresThroughReads\] parameter 'y' of saxpy is @Reads, but the kernel stores to it: st\.global\.f32 in line \d+ of kernels\/vector\.ptx/
assert !new File(basedir, 'target/classes/demo/VectorKernelsLauncher.class').exists()
return true

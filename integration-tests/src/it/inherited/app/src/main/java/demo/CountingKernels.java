package demo;

import dev.streamfence.annotation.KernelModule;
import library.Counting;

@KernelModule("kernels/counting.ptx")
public interface CountingKernels extends Counting {}

package dev.streamfence.examples.spark;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** A kernel that ends the context of its device. */
@KernelModule("kernels/broken.ptx")
interface BrokenKernels {
  @Kernel
  void broken(@Reads DeviceArray<int[]> values, @ThreadCount int n);
}

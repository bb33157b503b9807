package dev.streamfence.examples.e03_test_without_gpu;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.ThreadCount;

/** The kernel of {@code vector.cu} behind {@link Clamp}. */
@KernelModule("kernels/vector.ptx")
interface ClampKernels {
  @Kernel
  void clamp(@ReadWrites DeviceArray<int[]> values, int low, int high, @ThreadCount int n);
}

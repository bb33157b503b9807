package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.KernelModule;
import generator.Counting;

@KernelModule("kernels/counting.ptx")
@Counting
interface CountingKernels extends GeneratedKernels {
  default void countUp(DeviceArray<int[]> target, GeneratedRange range) {
    countUp(target, range.first(), range.length());
  }
}

package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** Its PTX lies beside it. */
@KernelModule("demo/counting.ptx")
public interface CountingKernels {
  @Kernel
  void countUp(@Writes DeviceArray<int[]> target, int first, @ThreadCount int n);
}

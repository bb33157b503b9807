package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** Its PTX lies beside it, in a package that the module does not open. */
@KernelModule("demo/counting_down.ptx")
public interface CountingDownKernels {
  @Kernel
  void countDown(@Writes DeviceArray<int[]> target, int first, @ThreadCount int n);
}

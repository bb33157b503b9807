package library;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** Kernels for other modules; compiled without the names of its parameters. */
public interface Counting {
  @Kernel
  void countUp(@Writes DeviceArray<int[]> target, int first, @ThreadCount int n);
}

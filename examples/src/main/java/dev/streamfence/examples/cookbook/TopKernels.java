package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernels of {@code top_k.cu}, which describes them. */
@KernelModule("kernels/top_k.ptx")
interface TopKernels {
  @Kernel(value = "count_bytes", requiredBlock = 256)
  void countBytes(
      @Reads DeviceArray<int[]> values,
      int prefix,
      int shift,
      @ReadWrites DeviceArray<int[]> counts,
      @ThreadCount int n);

  @Kernel("take_largest")
  void takeLargest(
      @Reads DeviceArray<int[]> values,
      int least,
      int above,
      int ties,
      @ReadWrites DeviceArray<int[]> used,
      @Writes DeviceArray<int[]> rows,
      @Writes DeviceArray<int[]> largest,
      @ThreadCount int n);
}

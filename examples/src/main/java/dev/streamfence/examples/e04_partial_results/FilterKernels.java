package dev.streamfence.examples.e04_partial_results;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernel of {@code filter.cu}. */
@KernelModule("kernels/filter.ptx")
interface FilterKernels {
  /**
   * Copies the values that are at least {@code least} to the start of {@code kept}, in any order,
   * and adds their number to {@code count[0]}.
   */
  @Kernel("keep_at_least")
  void keepAtLeast(
      @Reads DeviceArray<int[]> values,
      int least,
      @Writes DeviceArray<int[]> kept,
      @ReadWrites DeviceArray<int[]> count,
      @ThreadCount int n);
}

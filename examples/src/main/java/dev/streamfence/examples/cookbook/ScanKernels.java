package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;

/** The kernels of {@code scan.cu}, which describes them. */
@KernelModule("kernels/scan.ptx")
interface ScanKernels {
  @Kernel(value = "scan_blocks", requiredBlock = 256)
  void scanBlocks(
      @Reads DeviceArray<int[]> values,
      int n,
      @Writes DeviceArray<int[]> sums,
      @Writes DeviceArray<int[]> totals,
      @ThreadCount int m);

  @Kernel(value = "add_totals", requiredBlock = 256)
  void addTotals(
      @ReadWrites DeviceArray<int[]> sums, @Reads DeviceArray<int[]> totals, @ThreadCount int m);

  @Kernel("mark_at_least")
  void markAtLeast(
      @Reads DeviceArray<int[]> values,
      int least,
      @Writes DeviceArray<int[]> marks,
      @ThreadCount int n);

  @Kernel("keep_marked")
  void keepMarked(
      @Reads DeviceArray<int[]> values,
      @Reads DeviceArray<int[]> places,
      @Trusted("prefix sums of the marks: each value has a place of its own") @Writes
          DeviceArray<int[]> kept,
      @ThreadCount int n);
}

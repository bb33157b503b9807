package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;

/** The kernels of {@code join.cu}, which describes the hash table. */
@KernelModule("kernels/join.ptx")
interface JoinKernels {
  @Kernel("join_build")
  void build(
      @Reads DeviceArray<int[]> keys,
      @ReadWrites DeviceArray<int[]> heads,
      int mask,
      @Writes DeviceArray<int[]> next,
      @ThreadCount int n);

  @Kernel("join_count")
  void count(
      @Reads DeviceArray<int[]> probeKeys,
      @Reads DeviceArray<int[]> keys,
      @Reads DeviceArray<int[]> heads,
      int mask,
      @Reads DeviceArray<int[]> next,
      @Writes DeviceArray<int[]> counts,
      @ThreadCount int n);

  @Kernel("join_write")
  void write(
      @Reads DeviceArray<int[]> probeKeys,
      @Reads DeviceArray<int[]> keys,
      @Reads DeviceArray<int[]> heads,
      int mask,
      @Reads DeviceArray<int[]> next,
      @Reads DeviceArray<int[]> places,
      @Trusted("prefix sums of the counts: each row has places of its own") @Writes
          DeviceArray<int[]> probeRows,
      @Trusted("prefix sums of the counts: each row has places of its own") @Writes
          DeviceArray<int[]> buildRows,
      @ThreadCount int n);
}

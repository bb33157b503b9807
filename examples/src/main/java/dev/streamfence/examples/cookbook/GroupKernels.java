package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernels of {@code group.cu}, which describes the hash table. */
@KernelModule("kernels/group.ptx")
interface GroupKernels {
  @Kernel("group_sums")
  void sums(
      @Reads DeviceArray<int[]> keys,
      @Reads DeviceArray<int[]> values,
      @ReadWrites DeviceArray<int[]> owners,
      @ReadWrites DeviceArray<long[]> sums,
      int mask,
      @ThreadCount int n);

  @Kernel("collect_groups")
  void collect(
      @Reads DeviceArray<int[]> keys,
      @Reads DeviceArray<int[]> owners,
      @Reads DeviceArray<long[]> sums,
      @Writes DeviceArray<int[]> groupKeys,
      @Writes DeviceArray<long[]> groupSums,
      @ReadWrites DeviceArray<int[]> count,
      @ThreadCount int slots);
}

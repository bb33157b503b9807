package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** The kernels of {@code tpch_q12.cu}, which says how the hash table is laid out. */
@KernelModule("kernels/tpch_q12.ptx")
interface Q12Kernels {
  /** Puts every order into {@code table}: all zero, {@code mask + 1} slots, a power of two. */
  @Kernel("q12_build")
  void build(
      @Reads DeviceArray<long[]> orderKeys,
      @Reads DeviceArray<byte[]> highPriority,
      @ReadWrites DeviceArray<long[]> table,
      int mask,
      @ThreadCount int orders);

  /**
   * Adds the line items that the query asks for to {@code counts}: first mode with high priority,
   * with lower priority, then the same of the second mode. {@code toDate} is excluded.
   */
  @Kernel("q12_probe")
  void probe(
      @Reads DeviceArray<long[]> orderKeys,
      @Reads DeviceArray<byte[]> shipModes,
      @Reads DeviceArray<int[]> shipDates,
      @Reads DeviceArray<int[]> commitDates,
      @Reads DeviceArray<int[]> receiptDates,
      @Reads DeviceArray<long[]> table,
      @ReadWrites DeviceArray<long[]> counts,
      int mask,
      int firstMode,
      int secondMode,
      int fromDate,
      int toDate,
      @ThreadCount int rows);
}

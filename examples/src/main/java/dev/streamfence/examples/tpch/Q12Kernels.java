package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** The kernels of {@code tpch_q12.cu}, which describes the layout of the hash table. */
@KernelModule("kernels/tpch_q12.ptx")
interface Q12Kernels {
  /**
   * Puts every order into {@code table}, which is all zero and has {@code mask + 1} slots, a power
   * of two.
   */
  @Kernel("q12_build")
  void build(
      @Reads DeviceArray<long[]> orderKeys,
      @Reads DeviceArray<byte[]> highPriority,
      @ReadWrites DeviceArray<long[]> table,
      int mask,
      @ThreadCount int orders);

  /**
   * Adds the number of line items that match the query to {@code counts}: the first mode with high
   * and with lower priority, then the second mode likewise. {@code toDate} is excluded.
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

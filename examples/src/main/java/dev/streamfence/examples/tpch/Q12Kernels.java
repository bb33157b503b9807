package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Races;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.launch.LaunchShape;

/** The kernels of {@code tpch_q12.cu}, which describes the layout of the hash table. */
@KernelModule("kernels/tpch_q12.ptx")
interface Q12Kernels {
  /**
   * Puts every order into {@code table}, which is all zero and has {@code mask + 1} slots, a power
   * of two. Priorities before {@code firstLowPriority} are high.
   */
  @Kernel("q12_build")
  void build(
      @Reads ReadableColumn<long[]> orderKeys,
      @Reads ReadableColumn<byte[]> priorities,
      @ReadWrites DeviceArray<long[]> table,
      int mask,
      int firstLowPriority,
      @ThreadCount int orders);

  /**
   * Adds the number of line items that match the query to {@code counts}: the first mode with high
   * and with lower priority, then the second mode likewise. {@code toDate} is excluded. Any number
   * of blocks probes any number of rows.
   */
  @Kernel(value = "q12_probe", requiredBlock = RowGrid.BLOCK_SIZE, races = Races.REFUSED)
  void probe(
      @Reads ReadableColumn<long[]> orderKeys,
      @Reads ReadableColumn<byte[]> shipModes,
      @Reads ReadableColumn<int[]> shipDates,
      @Reads ReadableColumn<int[]> commitDates,
      @Reads ReadableColumn<int[]> receiptDates,
      @Reads DeviceArray<long[]> table,
      @ReadWrites DeviceArray<long[]> counts,
      int mask,
      int firstMode,
      int secondMode,
      int fromDate,
      int toDate,
      int rows,
      LaunchShape shape);
}

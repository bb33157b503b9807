package dev.streamfence.examples.e07_arrow_tables;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.ReadableColumn;

/** The kernels of {@code sales.cu}. A column passes its values. */
@KernelModule("kernels/sales.ptx")
interface SaleKernels {
  /**
   * Writes the numbers of the rows whose quantity is known and at least {@code least} to the start
   * of {@code rows}, in any order, and adds how many they are to {@code rowCount[0]}.
   */
  @Kernel("select_rows")
  void selectRows(
      @Reads ReadableColumn<int[]> quantity,
      @Reads ReadableArray<byte[]> validity,
      int least,
      @Writes DeviceArray<int[]> rows,
      @ReadWrites DeviceArray<int[]> rowCount,
      @ThreadCount int n);

  /**
   * Gathers the items of the first {@code rowCount[0]} of {@code rows}, and multiplies their
   * quantities by their prices.
   */
  @Kernel("gather_amounts")
  void gatherAmounts(
      @Reads ReadableColumn<int[]> item,
      @Reads ReadableColumn<int[]> quantity,
      @Reads ReadableColumn<long[]> price,
      @Reads DeviceArray<int[]> rows,
      @Reads DeviceArray<int[]> rowCount,
      @Writes DeviceColumn<int[]> soldItem,
      @Writes DeviceColumn<long[]> amount,
      @ThreadCount int n);
}

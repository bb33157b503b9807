package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Bounds;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Races;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.launch.LaunchShape;

/** The kernel of {@code tpch_q6.cu}. */
@KernelModule("kernels/tpch_q6.ptx")
interface Q6Kernels {
  /**
   * Adds price × discount, in 1/10000 of the currency unit, to {@code revenue[0]} for the rows that
   * match the query. {@code toDate} is excluded, {@code mostDiscount} is included; discounts and
   * quantities are in hundredths. Any number of blocks sums up any number of rows.
   */
  @Kernel(
      value = "q6_revenue",
      requiredBlock = RowGrid.BLOCK_SIZE,
      bounds = Bounds.REQUIRED,
      races = Races.REFUSED)
  void addRevenue(
      @Reads ReadableColumn<int[]> shipDates,
      @Reads ReadableColumn<long[]> discounts,
      @Reads ReadableColumn<long[]> quantities,
      @Reads ReadableColumn<long[]> prices,
      @ReadWrites DeviceArray<long[]> revenue,
      int fromDate,
      int toDate,
      long leastDiscount,
      long mostDiscount,
      long quantityLimit,
      int rows,
      LaunchShape shape);
}

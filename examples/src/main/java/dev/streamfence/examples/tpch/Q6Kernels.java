package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** The kernel of {@code tpch_q6.cu}. */
@KernelModule("kernels/tpch_q6.ptx")
interface Q6Kernels {
  /**
   * Adds price × discount, in cents times hundredths, to {@code revenue[0]} for the rows from
   * {@code first} on that match the query. {@code toDate} is excluded, {@code mostDiscount} is
   * included.
   */
  @Kernel("q6_revenue")
  void addRevenue(
      @Reads DeviceArray<int[]> shipDates,
      @Reads DeviceArray<byte[]> discounts,
      @Reads DeviceArray<byte[]> quantities,
      @Reads DeviceArray<int[]> prices,
      @ReadWrites DeviceArray<long[]> revenue,
      int fromDate,
      int toDate,
      int leastDiscount,
      int mostDiscount,
      int quantityLimit,
      int first,
      @ThreadCount int rows);
}

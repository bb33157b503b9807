package dev.streamfence.examples.spark;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.column.ReadableColumn;

/** The kernel of {@code price_groups.cu}, which describes it. */
@KernelModule("kernels/price_groups.ptx")
interface PriceKernels {
  @Kernel("price_groups")
  void priceGroups(
      @Reads ReadableColumn<int[]> shipped,
      @Reads ReadableArray<byte[]> shippedKnown,
      int until,
      @Reads ReadableArray<int[]> flagOffsets,
      @Reads ReadableColumn<byte[]> flag,
      @Reads ReadableArray<byte[]> flagKnown,
      @Reads ReadableArray<int[]> statusOffsets,
      @Reads ReadableColumn<byte[]> status,
      @Reads ReadableArray<byte[]> statusKnown,
      @Reads ReadableColumn<long[]> quantity,
      @Reads ReadableArray<byte[]> quantityKnown,
      @Reads ReadableColumn<long[]> price,
      @Reads ReadableArray<byte[]> priceKnown,
      @Reads ReadableColumn<long[]> discount,
      @Reads ReadableArray<byte[]> discountKnown,
      @Reads ReadableColumn<long[]> tax,
      @Reads ReadableArray<byte[]> taxKnown,
      @ReadWrites DeviceArray<int[]> keys,
      @ReadWrites DeviceArray<long[]> cells,
      int groups,
      @ThreadCount int n);
}

package demo;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import java.util.List;

/** Kernels over columns, each of which stands for its values. */
@KernelModule("kernels/orders.ptx")
@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
interface OrderKernels {
  /** A column as kernels take it that look at nulls. */
  record Nullable(
      @Reads ReadableColumn<long[]> values,
      @Reads @Optional ReadableArray<byte[]> validity,
      long rows) {}

  /** Columns of any types, and those that a kernel fills. */
  record Batch(
      @Trusted("see orders.cu") @Reads DeviceTable from,
      @Writes List<DeviceColumn<int[]>> to,
      int columns) {}

  @Kernel
  void price(
      @Reads ReadableColumn<int[]> quantity,
      @Reads @Optional DeviceColumn<long[]> price,
      @ReadWrites DeviceColumn<long[]> total,
      @ThreadCount int n);

  @Kernel
  Completion filter(Nullable key, @Writes DeviceArray<int[]> selected, @ThreadCount int n);

  @Kernel
  void take(
      @Reads DeviceTable orders,
      @Reads ReadableColumn<?>[] more,
      @Reads List<? extends ReadableColumn<float[]>> rest,
      @Writes DeviceTable out,
      @ThreadCount long n);

  @Kernel
  void convert(Batch batch, @ThreadCount int n);
}

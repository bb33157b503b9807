package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import java.util.List;

/** The kernels of {@code kernels/nullable.cu}. */
@KernelModule("kernels/nullable.ptx")
interface NullableKernels {
  /** As the structure of that name. */
  record Nullable(
      @Reads ReadableColumn<int[]> values,
      @Reads ReadableArray<byte[]> validity,
      int firstBit,
      long rows) {
    static Nullable of(ReadableColumn<int[]> column) {
      return new Nullable(column, column.validity(), column.validityOffset(), column.length());
    }
  }

  @Kernel
  void orElse(Nullable column, int other, @Writes DeviceColumn<int[]> out, @ThreadCount int n);

  @Kernel
  void sumRows(
      @Reads DeviceTable columns,
      int columnCount,
      @Writes DeviceColumn<long[]> sums,
      @ReadWrites DeviceArray<int[]> rowCount,
      @ThreadCount int n);

  @Kernel
  void negateAll(
      @ReadWrites List<? extends DeviceColumn<long[]>> columns,
      int columnCount,
      @ThreadCount int n,
      int rounds);
}

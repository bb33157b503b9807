package dev.streamfence.examples.e05_any_columns;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import java.util.List;

/** The kernel of {@code filter_columns.cu}. */
@KernelModule("kernels/filter_columns.ptx")
interface ColumnKernels {
  /**
   * Copies the rows whose key is at least {@code least} to the start of each kept column, in any
   * order, and adds their number to {@code count[0]}.
   */
  @Kernel("keep_rows")
  void keepRows(
      @Reads DeviceArray<int[]> key,
      int least,
      @Reads List<DeviceArray<int[]>> columns,
      @Writes List<DeviceArray<int[]>> kept,
      int columnCount,
      @ReadWrites DeviceArray<int[]> count,
      @ThreadCount int n);
}

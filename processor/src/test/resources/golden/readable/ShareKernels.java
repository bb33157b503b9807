package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.Symbol;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import java.util.List;

/** Kernels over memory of which some must not be written. */
@KernelModule("kernels/share.ptx")
@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
public interface ShareKernels {
  /** Values that a kernel only reads, beside sums that it writes. */
  record Group(@Reads ReadableArray<int[]> keys, @ReadWrites DeviceArray<long[]> sums, int size) {}

  /** How many rows were dropped; only kernels write it. */
  @Symbol
  ReadableArray<int[]> dropped();

  /** Adds two arrays. */
  @Kernel
  void add(
      @Reads ReadableArray<float[]> a,
      @Reads DeviceArray<float[]> b,
      @Writes DeviceArray<float[]> sum,
      @ThreadCount int n);

  /** Takes the chosen rows of any number of columns. */
  @Kernel
  void take(
      @Reads ReadableArray<float[]>[] columns,
      @Reads List<ReadableArray<int[]>> rows,
      @Reads List<? extends ReadableArray<?>> more,
      @Writes List<DeviceArray<float[]>> out,
      @ThreadCount int n);

  /** Adds the values of each group. */
  @Kernel
  void sum(Group group, @ThreadCount int n);
}

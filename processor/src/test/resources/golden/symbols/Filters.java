package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.Symbol;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** A kernel that reads constants and counts in a variable of its module. */
@KernelModule("kernels/filters.ptx")
@SuppressWarnings("streamfence:UnseenModule")
public interface Filters {
  /** The weights of the filter. */
  @Symbol("filter_weights")
  DeviceArray<float[]> weights();

  /** How many values were outside. */
  @Symbol
  DeviceArray<int[]> outside();

  /** Applies the filter. */
  @Kernel
  void filter(@Reads DeviceArray<float[]> source, @Writes DeviceArray<float[]> target, @ThreadCount int n);
}

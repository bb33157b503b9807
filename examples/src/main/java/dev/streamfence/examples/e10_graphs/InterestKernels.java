package dev.streamfence.examples.e10_graphs;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** The kernel of {@code vector.cu} that adds interest. */
@KernelModule("kernels/vector.ptx")
public interface InterestKernels {
  /** Adds {@code rate * balances[i]} to {@code next[i]}. */
  @Kernel("saxpy")
  void addInterest(
      float rate,
      @Reads DeviceArray<float[]> balances,
      @ReadWrites DeviceArray<float[]> next,
      @ThreadCount int n);
}

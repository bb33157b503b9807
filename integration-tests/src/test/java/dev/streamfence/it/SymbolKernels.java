package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.Symbol;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernels and variables of {@code kernels/symbols.cu}. */
@KernelModule("kernels/symbols.ptx")
interface SymbolKernels {
  @Symbol
  DeviceArray<float[]> weights();

  @Symbol
  DeviceArray<int[]> outside();

  /** A static variable. */
  @Symbol("calls")
  DeviceArray<int[]> countedCalls();

  @Kernel
  void weigh(
      @Reads DeviceArray<float[]> source,
      @Writes DeviceArray<float[]> target,
      @ThreadCount int n,
      int rounds);

  @Kernel
  void countOutside(@Reads DeviceArray<float[]> values, @ThreadCount int n, int rounds);
}

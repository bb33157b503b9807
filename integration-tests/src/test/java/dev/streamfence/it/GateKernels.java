package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import dev.streamfence.launch.LaunchShape;

/** Kernels of {@code kernels/gate.cu} for tests of ordering and of faults. */
@KernelModule("kernels/gate.ptx")
interface GateKernels {
  @Kernel
  void copyInts(
      @Reads DeviceArray<int[]> source, @Writes DeviceArray<int[]> target, @ThreadCount int n);

  @Kernel
  void stray(@Writes DeviceArray<int[]> values, long offset, LaunchShape shape);

  @Kernel
  void trap(LaunchShape shape);
}

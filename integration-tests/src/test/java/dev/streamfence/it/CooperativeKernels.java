package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Writes;
import dev.streamfence.launch.LaunchShape;

/** The kernel of {@code kernels/cooperative.cu}. */
@KernelModule("kernels/cooperative.ptx")
interface CooperativeKernels {
  @Kernel(cooperative = true)
  void meet(
      @ReadWrites DeviceArray<int[]> counter, @Writes DeviceArray<int[]> seen, LaunchShape shape);
}

package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Writes;
import dev.streamfence.launch.LaunchShape;

/** The kernels of {@code kernels/fault.cu}, each of which ends the device. */
@KernelModule("kernels/fault.ptx")
interface FaultKernels {
  @Kernel
  void storeNowhere(LaunchShape shape);

  @Kernel
  void trap(LaunchShape shape);

  @Kernel
  void assertion(int n, LaunchShape shape);

  @Kernel
  void misaligned(@Writes DeviceArray<int[]> values, LaunchShape shape);
}

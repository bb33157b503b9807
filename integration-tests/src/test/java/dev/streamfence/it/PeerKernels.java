package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernel of {@code kernels/peers.cu}, between the work of other libraries. */
@KernelModule("kernels/peers.ptx")
interface PeerKernels {
  @Kernel
  void scaleLate(
      @Reads ReadableArray<float[]> source,
      @Writes DeviceArray<float[]> target,
      float factor,
      long cycles,
      @ThreadCount int n);
}

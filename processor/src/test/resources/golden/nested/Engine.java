package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** A nested, deprecated interface that only its package sees. */
public final class Engine {
  private Engine() {}

  @Deprecated
  @SuppressWarnings("streamfence:UnseenModule") // There is no such code.
  @KernelModule("engine.ptx")
  interface Kernels {
    @Kernel
    void iota(@Writes DeviceArray<int[]> target, @ThreadCount int n);

    @Deprecated
    @Kernel
    void zero(@Writes DeviceArray<int[]> target, @ThreadCount int n);
  }
}

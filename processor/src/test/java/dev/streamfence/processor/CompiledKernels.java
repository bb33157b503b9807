package dev.streamfence.processor;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.ThreadCount;

/** Kernels to inherit that the tests' sources see as a class file, which names no parameters. */
@SuppressWarnings("streamfence:KernelWithoutLauncher")
public interface CompiledKernels<A> {
  @Kernel
  void sort(@ReadWrites DeviceArray<A> values, @ThreadCount int count);

  @Kernel
  void copy(DeviceArray<A> values, @ThreadCount int count);
}

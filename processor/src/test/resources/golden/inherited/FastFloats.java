package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** Kernels that two interfaces pass on, one of them for any array. */
@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
@KernelModule("fast.ptx")
public interface FastFloats extends Sorts<float[]>, Copies<float[]> {
  @Kernel
  void negate(@ReadWrites DeviceArray<float[]> values, @ThreadCount int n);

  /** Overrides the inherited one with another entry. */
  @Override
  @Kernel("sort_fast")
  void sort(@ReadWrites DeviceArray<float[]> values, @ThreadCount int n);
}

@SuppressWarnings("streamfence:KernelWithoutLauncher")
interface Sorts<A> extends Copies<A> {
  @Kernel
  void sort(@ReadWrites DeviceArray<A> values, @ThreadCount int n);

  @Kernel
  void reverse(@ReadWrites DeviceArray<A> values, @ThreadCount int n);
}

@SuppressWarnings("streamfence:KernelWithoutLauncher")
interface Copies<A> {
  @Kernel
  void copy(@Reads DeviceArray<A> from, @Writes DeviceArray<A> to, @ThreadCount int n);
}

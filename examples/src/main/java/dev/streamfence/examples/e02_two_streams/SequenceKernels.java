package dev.streamfence.examples.e02_two_streams;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernels of {@code vector.cu} that this program launches. */
@KernelModule("kernels/vector.ptx")
public interface SequenceKernels {
  /** Sets {@code target[i] = first + i}. */
  @Kernel
  void iota(@Writes DeviceArray<int[]> target, int first, @ThreadCount int n);

  /** Sets {@code target[i] = source[i] * source[i]}, without overflow. */
  @Kernel
  void square(
      @Reads DeviceArray<int[]> source, @Writes DeviceArray<long[]> target, @ThreadCount int n);
}

package dev.streamfence.examples.e01_saxpy;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** The kernels of {@code vector.cu} that this program launches. */
@KernelModule("kernels/vector.ptx")
public interface VectorKernels {
  /** Sets {@code y[i] = a * x[i] + y[i]} for the first {@code n} elements. */
  @Kernel("saxpy")
  void saxpy(
      float a,
      @Reads DeviceArray<float[]> x,
      @ReadWrites DeviceArray<float[]> y,
      @ThreadCount int n);
}

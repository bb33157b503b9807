package dev.streamfence.examples.e06_cublas;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernel of {@code matrix.cu}. */
@KernelModule("kernels/matrix.ptx")
public interface MatrixKernels {
  /**
   * Sets {@code product = left × right}, of square matrices with {@code size} rows, one after the
   * other; {@code n} is the number of their elements.
   */
  @Kernel
  void multiply(
      @Reads DeviceArray<float[]> left,
      @Reads DeviceArray<float[]> right,
      @Writes DeviceArray<float[]> product,
      int size,
      @ThreadCount int n);
}

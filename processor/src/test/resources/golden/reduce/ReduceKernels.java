package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.annotation.DynamicSharedBytes;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** Every kind of parameter, every way to say how many threads run, and overloads. */
@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
@KernelModule("kernels/reduce.ptx")
public interface ReduceKernels {
  int WARP_SIZE = 32;

  @Kernel(value = "reduce_sum", blockSize = 128, dynamicSharedBytes = 4 * 128)
  void sum(
      @Reads DeviceArray<float[]> values, @Writes DeviceArray<float[]> sums, @ThreadCount int n);

  @Kernel("reduce_sum_f64")
  void sum(
      @Reads DeviceArray<double[]> values, @Writes DeviceArray<double[]> sums, @ThreadCount long n);

  @Kernel(dynamicSharedBytes = 64)
  void scan(
      @ReadWrites DeviceArray<int[]> values, @ThreadCount int n, @DynamicSharedBytes int shared);

  @Kernel
  void histogram(LaunchShape shape, @Reads DeviceArray<byte[]> bytes, char from, int bins);

  @Kernel(blockSize = Kernel.AUTO)
  void scale(@ReadWrites DeviceArray<float[]> values, @ThreadCount int n);

  @Kernel(requiredBlock = {16, 16})
  void transpose(@ReadWrites DeviceArray<float[]> values, LaunchShape shape);

  @Kernel
  void fill(
      boolean p0,
      byte p1,
      char p2,
      short p3,
      int p4,
      long p5,
      float p6,
      double p7,
      @Writes DeviceArray<boolean[]> a0,
      @Writes DeviceArray<char[]> a1,
      @Writes DeviceArray<short[]> a2,
      @Writes DeviceArray<long[]> a3,
      LaunchShape shape);

  /** Not a kernel, so the launcher inherits it. */
  default void sumOfOne(DeviceArray<float[]> values, DeviceArray<float[]> sums) {
    sum(values, sums, 1);
  }

  static int blocks(int n) {
    return (n + WARP_SIZE - 1) / WARP_SIZE;
  }

  @Override
  String toString();
}

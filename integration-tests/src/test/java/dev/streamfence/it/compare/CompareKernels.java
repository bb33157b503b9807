package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import dev.streamfence.launch.LaunchShape;
import java.util.List;

/** The kernels of {@code kernels/compare.cu}. */
@KernelModule("kernels/compare.ptx")
interface CompareKernels {
  @Kernel
  void touch4(
      @ReadWrites DeviceArray<float[]> a,
      @Reads DeviceArray<float[]> b,
      @Reads DeviceArray<float[]> c,
      @Writes DeviceArray<float[]> d,
      float factor,
      @ThreadCount int n);

  @Kernel
  void sum15(
      @Reads DeviceArray<int[]> a0,
      @Reads DeviceArray<int[]> a1,
      @Reads DeviceArray<int[]> a2,
      @Reads DeviceArray<int[]> a3,
      @Reads DeviceArray<int[]> a4,
      @Reads DeviceArray<int[]> a5,
      @Reads DeviceArray<int[]> a6,
      @Reads DeviceArray<int[]> a7,
      @Reads DeviceArray<int[]> a8,
      @Reads DeviceArray<int[]> a9,
      @Reads DeviceArray<int[]> a10,
      @Reads DeviceArray<int[]> a11,
      @Reads DeviceArray<int[]> a12,
      @Reads DeviceArray<int[]> a13,
      @Reads DeviceArray<int[]> a14,
      @Writes DeviceArray<int[]> sum,
      @ThreadCount int n);

  @Kernel
  void bumpAll(@ReadWrites List<DeviceArray<int[]>> table, int count, @ThreadCount int n);

  @Kernel
  void dwell(@Writes DeviceArray<float[]> a, long cycles, LaunchShape shape);
}

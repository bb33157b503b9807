package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

/** The kernels of {@code kernels/thirty.cu}. */
@KernelModule("kernels/thirty.ptx")
interface ThirtyKernels {
  @Kernel
  void narrow0(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow1(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow2(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow3(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow4(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow5(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow6(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow7(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow8(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void narrow9(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle0(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle1(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle2(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle3(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle4(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle5(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle6(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle7(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle8(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void middle9(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide0(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide1(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide2(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide3(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide4(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide5(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide6(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide7(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide8(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);

  @Kernel
  void wide9(@Reads DeviceArray<float[]> x, @Writes DeviceArray<float[]> y, @ThreadCount int n);
}

package dev.streamfence.it;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import dev.streamfence.launch.LaunchShape;
import java.util.List;

/** The kernels of {@code kernels/suite.cu}. */
@KernelModule("kernels/suite.ptx")
interface SuiteKernels {
  @Kernel
  void saxpy(
      float a,
      @Reads DeviceArray<float[]> x,
      @ReadWrites DeviceArray<float[]> y,
      @ThreadCount int n);

  @Kernel
  void increment(@ReadWrites DeviceArray<int[]> values, @ThreadCount int n);

  @Kernel
  void incrementSlowly(@ReadWrites DeviceArray<int[]> values, @ThreadCount int n, int rounds);

  @Kernel
  void add(
      @Reads DeviceArray<int[]> a,
      @Reads DeviceArray<int[]> b,
      @Writes DeviceArray<int[]> sum,
      @ThreadCount int n);

  /** The same, with arrays that may be of another device. */
  @Kernel("add")
  void addOfPeers(
      @Reads(peer = true) DeviceArray<int[]> a,
      @Reads(peer = true) DeviceArray<int[]> b,
      @Writes(peer = true) DeviceArray<int[]> sum,
      @ThreadCount int n);

  @Kernel("incrementSlowly")
  void incrementPeerSlowly(
      @ReadWrites(peer = true) DeviceArray<int[]> values, @ThreadCount int n, int rounds);

  @Kernel
  void kinds(
      boolean z,
      byte b,
      char c,
      short s,
      int i,
      long l,
      float f,
      double d,
      @Writes DeviceArray<long[]> out,
      LaunchShape shape);

  @Kernel("reverse")
  void reverseBlocks(@ReadWrites DeviceArray<int[]> values, LaunchShape shape);

  @Kernel
  void number(@Writes DeviceArray<int[]> values, LaunchShape shape);

  /** As the structure of that name. */
  record Mixed(byte small, int number, double wide, boolean flag) {}

  @Kernel
  void spread(Mixed mixed, @Writes DeviceArray<long[]> out, LaunchShape shape);

  @Kernel(value = "incrementSlowly")
  Completion slowly(@ReadWrites DeviceArray<int[]> values, @ThreadCount int n, int rounds);

  @Kernel
  void atMost64(@ReadWrites DeviceArray<int[]> values, int n, LaunchShape shape);

  @Kernel(blockSize = Kernel.AUTO)
  void blockSizes(@Writes DeviceArray<int[]> sizes, @ThreadCount int n);

  @Kernel(
      value = "number",
      requiredBlock = {4, 2})
  void numberEights(@Writes DeviceArray<int[]> values, LaunchShape shape);

  @Kernel
  void bumpAll(@ReadWrites List<DeviceArray<int[]>> columns, int columnCount, @ThreadCount int n);

  /** As the structure of that name. */
  record Column(@Reads DeviceArray<int[]> values, @Reads DeviceArray<byte[]> validity, long rows) {}

  @Kernel
  void valid(Column column, @Writes DeviceArray<int[]> out, @ThreadCount int n);
}

package demo;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;
import java.util.List;

@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
@KernelModule("kernels/project.ptx")
interface ProjectKernels {
  record Column(
      @Reads DeviceArray<int[]> values,
      @Trusted("only bits are tested") @Reads DeviceArray<byte[]> validity,
      long rows) {}

  record Batch(float scale, @ReadWrites List<? extends DeviceArray<float[]>> columns, int count) {}

  @Kernel
  void take(
      @Reads DeviceArray<float[]>[] columns,
      @Reads DeviceArray<int[]> rows,
      @Writes List<DeviceArray<float[]>> out,
      @ThreadCount int n);

  @Kernel
  Completion filter(
      Column key,
      @Trusted("see mask.cu") @Reads @Optional DeviceArray<byte[]> mask,
      @Writes DeviceArray<int[]> selected,
      @ThreadCount int n);

  @Kernel
  void hash(
      @Trusted("see hash.cu") @Reads DeviceArray<?>[] columns,
      @Reads List<? extends DeviceArray<?>> more,
      @Reads List<DeviceArray<?>> rest,
      @Writes DeviceArray<long[]> hashes,
      @ThreadCount long n);

  @Kernel
  void scale(Batch batch, @ThreadCount int n);
}

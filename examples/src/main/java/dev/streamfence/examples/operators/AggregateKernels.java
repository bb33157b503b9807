package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import dev.streamfence.launch.LaunchShape;
import org.jspecify.annotations.Nullable;

/** The kernels of {@code aggregates.cu}, which describes them. */
@KernelModule("kernels/operators/aggregates.ptx")
interface AggregateKernels {
  @Kernel
  void start(int aggregate, @Writes DeviceArray<long[]> results, @ThreadCount int groups);

  @Kernel("add_to_memory")
  void addToMemory(
      int aggregate,
      @Reads @Optional @Nullable ReadableArray<long[]> numbers,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Reads @Optional @Nullable DeviceArray<int[]> groups,
      @ReadWrites @Optional @Nullable DeviceArray<long[]> results,
      @ReadWrites DeviceArray<long[]> counts,
      @ThreadCount int n);

  @Kernel(value = "add_in_blocks", requiredBlock = 256)
  void addInBlocks(
      int aggregate,
      @Reads @Optional @Nullable ReadableArray<long[]> numbers,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Reads @Optional @Nullable DeviceArray<int[]> groups,
      @ReadWrites @Optional @Nullable DeviceArray<long[]> results,
      @ReadWrites DeviceArray<long[]> counts,
      int groupCount,
      int n,
      LaunchShape shape);

  @Kernel(value = "add_in_threads", requiredBlock = 256)
  void addInThreads(
      int aggregate,
      @Reads @Optional @Nullable ReadableArray<long[]> numbers,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Reads @Optional @Nullable DeviceArray<int[]> groups,
      @ReadWrites @Optional @Nullable DeviceArray<long[]> results,
      @ReadWrites DeviceArray<long[]> counts,
      int groupCount,
      int n,
      LaunchShape shape);

  @Kernel("known_results")
  void knownResults(
      @Reads DeviceArray<long[]> counts,
      @Writes DeviceArray<byte[]> known,
      @ThreadCount int groups);
}

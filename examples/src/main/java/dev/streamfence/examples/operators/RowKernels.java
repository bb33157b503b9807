package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;
import org.jspecify.annotations.Nullable;

/** The kernels of {@code rows.cu}, which describes them. */
@KernelModule("kernels/operators/rows.ptx")
interface RowKernels {
  @Kernel("mark_true")
  void markTrue(
      @Reads ReadableArray<long[]> condition,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Writes DeviceArray<int[]> marks,
      @ThreadCount int n);

  @Kernel("marked_rows")
  void markedRows(
      @Reads DeviceArray<int[]> places,
      @Trusted("prefix sums of the marks: each row has a place of its own") @Writes
          DeviceArray<int[]> rows,
      @ThreadCount int n);

  @Kernel("all_rows")
  void allRows(@Writes DeviceArray<int[]> rows, @ThreadCount int n);

  @Kernel("gather_bytes")
  void gatherBytes(
      @Reads ReadableArray<byte[]> values,
      @Reads(below = "values", least = -1) DeviceArray<int[]> rows,
      @Writes DeviceArray<byte[]> gathered,
      @ThreadCount int n);

  @Kernel("gather_shorts")
  void gatherShorts(
      @Reads ReadableArray<short[]> values,
      @Reads(below = "values", least = -1) DeviceArray<int[]> rows,
      @Writes DeviceArray<short[]> gathered,
      @ThreadCount int n);

  @Kernel("gather_ints")
  void gatherInts(
      @Reads ReadableArray<int[]> values,
      @Reads(below = "values", least = -1) DeviceArray<int[]> rows,
      @Writes DeviceArray<int[]> gathered,
      @ThreadCount int n);

  @Kernel("gather_longs")
  void gatherLongs(
      @Reads ReadableArray<long[]> values,
      @Reads(below = "values", least = -1) DeviceArray<int[]> rows,
      @Writes DeviceArray<long[]> gathered,
      @ThreadCount int n);

  @Kernel("gather_bits")
  void gatherBits(
      @Reads @Optional @Nullable ReadableArray<byte[]> bits,
      int offset,
      @Reads DeviceArray<int[]> rows,
      @Writes DeviceArray<byte[]> gathered,
      int n,
      @ThreadCount int bytes);

  @Kernel("text_lengths")
  void textLengths(
      @Reads ReadableArray<int[]> offsets,
      @Reads DeviceArray<int[]> rows,
      @Writes DeviceArray<int[]> lengths,
      @ReadWrites DeviceArray<long[]> total,
      @ThreadCount int n);

  @Kernel("gather_text")
  void gatherText(
      @Reads ReadableArray<int[]> offsets,
      @Reads ReadableArray<byte[]> text,
      @Reads DeviceArray<int[]> rows,
      @Reads DeviceArray<int[]> places,
      @Trusted("prefix sums of the lengths: each text has a place of its own") @Writes
          DeviceArray<byte[]> gathered,
      @ThreadCount int n);
}

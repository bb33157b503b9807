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

/** The kernels of {@code sort.cu}, which describes them. */
@KernelModule("kernels/operators/sort.ptx")
interface SortKernels {
  /** Threads of a block, as in {@code sort.cu}. */
  int BLOCK = 256;

  @Kernel("sort_keys")
  void sortKeys(
      @Reads ReadableArray<long[]> numbers,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Reads DeviceArray<int[]> rows,
      long flip,
      @Writes DeviceArray<long[]> keys,
      @ThreadCount int n);

  @Kernel("null_keys")
  void nullKeys(
      @Reads ReadableArray<byte[]> known,
      @Reads DeviceArray<int[]> rows,
      int flip,
      @Writes DeviceArray<long[]> keys,
      @ThreadCount int n);

  @Kernel("text_keys")
  void textKeys(
      @Reads ReadableArray<int[]> offsets,
      @Reads ReadableArray<byte[]> text,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Reads DeviceArray<int[]> rows,
      int from,
      long flip,
      @Writes DeviceArray<long[]> keys,
      @ThreadCount int n);

  @Kernel("rank_texts")
  void rankTexts(
      @Reads ReadableArray<int[]> offsets,
      @Reads ReadableArray<byte[]> text,
      @Reads DeviceArray<int[]> rows,
      @Trusted("a permutation: each row has one rank") @Writes DeviceArray<long[]> ranks,
      @ThreadCount int n);

  @Kernel("longest_text")
  void longestText(
      @Reads ReadableArray<int[]> offsets,
      @ReadWrites DeviceArray<int[]> longest,
      @ThreadCount int n);

  @Kernel("differing_bits")
  void differingBits(
      @Reads DeviceArray<long[]> keys, @ReadWrites DeviceArray<long[]> bits, @ThreadCount int n);

  @Kernel(value = "count_digits", requiredBlock = BLOCK)
  void countDigits(
      @Reads DeviceArray<long[]> keys,
      int shift,
      @Writes DeviceArray<int[]> counts,
      int blocks,
      @ThreadCount int n);

  @Kernel(value = "move_by_digit", requiredBlock = BLOCK)
  void moveByDigit(
      @Reads DeviceArray<long[]> keys,
      @Reads DeviceArray<int[]> rows,
      int shift,
      @Reads DeviceArray<int[]> places,
      int blocks,
      @Trusted("prefix sums of the digits: each row has a place of its own") @Writes
          DeviceArray<long[]> movedKeys,
      @Trusted("prefix sums of the digits: each row has a place of its own") @Writes
          DeviceArray<int[]> movedRows,
      @ThreadCount int n);

  @Kernel("move_by_rank")
  void moveByRank(
      @Reads DeviceArray<long[]> keys,
      @Reads DeviceArray<int[]> rows,
      @Trusted("ranks of different rows differ") @Writes DeviceArray<int[]> movedRows,
      @ThreadCount int n);

  @Kernel("mark_at_most")
  void markAtMost(
      @Reads DeviceArray<long[]> keys,
      long most,
      @Writes DeviceArray<int[]> marks,
      @ThreadCount int n);

  @Kernel(value = "count_candidates", requiredBlock = BLOCK)
  void countCandidates(
      @Reads DeviceArray<long[]> keys,
      long prefix,
      int shift,
      @ReadWrites DeviceArray<int[]> counts,
      @ThreadCount int n);
}

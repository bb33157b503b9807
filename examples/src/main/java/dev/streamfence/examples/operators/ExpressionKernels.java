package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;
import org.jspecify.annotations.Nullable;

/** The kernels of {@code expressions.cu}, which describes them. */
@KernelModule("kernels/operators/expressions.ptx")
interface ExpressionKernels {
  @Kernel
  void combine(
      int operation,
      int ofFloating,
      Vector a,
      Vector b,
      long constant,
      @Writes DeviceArray<long[]> numbers,
      @Writes @Optional @Nullable DeviceArray<byte[]> known,
      @ThreadCount int n);

  @Kernel
  void map(
      int function,
      @Reads ReadableArray<long[]> a,
      double factor,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("is_null")
  void isNull(
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel
  void choose(
      Vector condition,
      Vector then,
      long constantThen,
      Vector otherwise,
      long constantOtherwise,
      @Writes DeviceArray<long[]> numbers,
      @Writes DeviceArray<byte[]> known,
      @ThreadCount int n);

  @Kernel("unpack_validity")
  void unpackValidity(
      @Reads ReadableArray<byte[]> validity,
      int offset,
      @Writes DeviceArray<byte[]> known,
      @ThreadCount int n);

  @Kernel("widen_bits")
  void widenBits(
      @Reads ReadableArray<byte[]> bits,
      int offset,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("widen_flags")
  void widenFlags(
      @Reads ReadableArray<boolean[]> flags,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("widen_bytes")
  void widenBytes(
      @Reads ReadableArray<byte[]> values,
      long mask,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("widen_shorts")
  void widenShorts(
      @Reads ReadableArray<short[]> values,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("widen_chars")
  void widenChars(
      @Reads ReadableArray<char[]> values, @Writes DeviceArray<long[]> numbers, @ThreadCount int n);

  @Kernel("widen_ints")
  void widenInts(
      @Reads ReadableArray<int[]> values,
      long mask,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  /** A vector holds the bits of doubles as numbers. */
  @Kernel("widen_floats")
  @SuppressWarnings("streamfence:ElementWidth")
  void widenFloats(
      @Reads ReadableArray<float[]> values,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("pack_validity")
  void packValidity(
      @Reads ReadableArray<byte[]> known,
      @Writes DeviceArray<byte[]> validity,
      int n,
      @ThreadCount int bytes);

  @Kernel("narrow_ints")
  void narrowInts(
      @Reads ReadableArray<long[]> numbers, @Writes DeviceArray<int[]> values, @ThreadCount int n);

  @Kernel("narrow_flags")
  void narrowFlags(
      @Reads ReadableArray<long[]> numbers,
      @Writes DeviceArray<boolean[]> flags,
      @ThreadCount int n);

  @Kernel("text_like")
  void textLike(
      @Reads ReadableArray<int[]> offsets,
      @Reads ReadableArray<byte[]> text,
      @Reads ReadableArray<byte[]> pattern,
      int patternLength,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("text_equals")
  void textEquals(
      @Reads ReadableArray<int[]> offsets,
      @Reads ReadableArray<byte[]> text,
      @Reads ReadableArray<byte[]> other,
      int length,
      @Writes DeviceArray<long[]> numbers,
      @ThreadCount int n);

  @Kernel("look_up")
  void lookUp(
      Vector codes,
      Vector dictionary,
      int entries,
      @Writes DeviceArray<long[]> numbers,
      @Writes @Optional @Nullable DeviceArray<byte[]> known,
      @ThreadCount int n);
}

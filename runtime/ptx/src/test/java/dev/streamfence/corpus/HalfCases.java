package dev.streamfence.corpus;

import java.util.List;
import java.util.Random;

/**
 * The kernels of {@code half.cu}, and those of {@code ampere.cu} that compute with small floats.
 */
final class HalfCases {
  private static final int COUNT = 4096;
  private static final ReferenceFloats HALF = ReferenceFloats.HALF;
  private static final ReferenceFloats BRAIN = ReferenceFloats.BRAIN;

  private HalfCases() {}

  static List<KernelCase> all() {
    return List.of(halves(), pairs(), functions(), brainFloats(), newerExtrema());
  }

  private static final int[] EDGES = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x3C01, 0x3800, 0x7BFF, 0xFBFF,
    0x7C00, 0xFC00, 0x7E00, 0x0080, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7F7F, 0x7FC0, 0x4248, 0x3555
  };

  /** Returns half-wide patterns: every pair of edge cases, then random ones. */
  private static long[] patterns(int column) {
    Random random = new Random(column);
    long[] patterns = new long[COUNT];
    for (int i = 0; i < COUNT; i++) {
      int edge = column == 0 ? i : i / EDGES.length;
      boolean edges = column < 2 && i < EDGES.length * EDGES.length;
      patterns[i] = edges ? EDGES[edge % EDGES.length] : random.nextInt(0x10000);
    }
    return patterns;
  }

  private static byte[] shorts(long[] values) {
    short[] narrowed = new short[values.length];
    for (int i = 0; i < values.length; i++) {
      narrowed[i] = (short) values[i];
    }
    return Buffers.of(narrowed);
  }

  private static byte[] ints(long[] values) {
    int[] narrowed = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      narrowed[i] = (int) values[i];
    }
    return Buffers.of(narrowed);
  }

  private static KernelCase halves() {
    long[] a = patterns(0);
    long[] b = patterns(1);
    long[] c = patterns(2);
    Rows rows =
        new Rows(
            2, COUNT, i -> HALF.value(a[i]) + ", " + HALF.value(b[i]) + ", " + HALF.value(c[i]));
    rows.floats("add", HALF, i -> HALF.add(a[i], b[i], 'n'))
        .floats("sub", HALF, i -> HALF.subtract(a[i], b[i], 'n'))
        .floats("mul", HALF, i -> HALF.multiply(a[i], b[i], 'n'))
        .floats("fma", HALF, i -> HALF.fma(a[i], b[i], c[i], 'n'))
        .floats("add.ftz", HALF, i -> HALF.flush(HALF.add(HALF.flush(a[i]), HALF.flush(b[i]), 'n')))
        .floats("mul.sat", HALF, i -> HALF.saturate(HALF.multiply(a[i], b[i], 'n')))
        .floats(
            "fma.ftz.sat",
            HALF,
            i ->
                HALF.saturate(
                    HALF.flush(
                        HALF.fma(HALF.flush(a[i]), HALF.flush(b[i]), HALF.flush(c[i]), 'n'))))
        .floats("neg", HALF, i -> HALF.negate(a[i]))
        .floats("abs", HALF, i -> HALF.absolute(a[i]))
        .row("eq", i -> HALF.value(a[i]) == HALF.value(b[i]) ? 1 : 0)
        .row("lt", i -> HALF.value(a[i]) < HALF.value(b[i]) ? 1 : 0)
        .row("geu", i -> HALF.value(a[i]) < HALF.value(b[i]) ? 0 : 1)
        .row("nan", i -> HALF.isNaN(a[i]) || HALF.isNaN(b[i]) ? 1 : 0);
    return KernelCase.of(
            "half.ptx",
            "half_precision",
            COUNT / 128,
            128,
            shorts(a),
            shorts(b),
            shorts(c),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }

  /** An operation on each half of a pair. */
  @FunctionalInterface
  private interface Halves {
    long of(int shift, int thread);
  }

  /** Adds a row whose halves are compared as numbers one by one. */
  private static void pair(Rows rows, String name, Halves f) {
    rows.row(name, i -> canonical(f.of(0, i)) | canonical(f.of(16, i)) << 16);
  }

  /** Devices have one NaN only. */
  private static long canonical(long bits) {
    return HALF.isNaN(bits) ? 0x7FFF : bits;
  }

  private static long half(long pair, int shift) {
    return pair >>> shift & 0xFFFF;
  }

  private static long[] pairPatterns(int column) {
    long[] low = patterns(column);
    long[] pairs = new long[COUNT];
    for (int i = 0; i < COUNT; i++) {
      pairs[i] = low[i] | low[(i * 7 + column) % COUNT] << 16;
    }
    return pairs;
  }

  private static KernelCase pairs() {
    long[] a = pairPatterns(0);
    long[] b = pairPatterns(1);
    long[] c = pairPatterns(2);
    Rows rows = new Rows(4, COUNT, i -> String.format("0x%x, 0x%x, 0x%x", a[i], b[i], c[i]));
    pair(rows, "add", (s, i) -> HALF.add(half(a[i], s), half(b[i], s), 'n'));
    pair(rows, "sub", (s, i) -> HALF.subtract(half(a[i], s), half(b[i], s), 'n'));
    pair(rows, "mul", (s, i) -> HALF.multiply(half(a[i], s), half(b[i], s), 'n'));
    pair(rows, "fma", (s, i) -> HALF.fma(half(a[i], s), half(b[i], s), half(c[i], s), 'n'));
    rows.pairs("neg", HALF, i -> a[i] ^ 0x8000_8000L)
        .pairs("abs", HALF, i -> a[i] & 0x7FFF_7FFFL)
        .row(
            "set.lt",
            i -> (less(a[i], b[i], 0) ? 0x3C00 : 0) | (less(a[i], b[i], 16) ? 0x3C00_0000 : 0))
        .row("setp.gt", i -> (less(b[i], a[i], 0) ? 1 : 0) | (less(b[i], a[i], 16) ? 2 : 0));
    return KernelCase.of(
            "half.ptx",
            "half_pairs",
            COUNT / 128,
            128,
            ints(a),
            ints(b),
            ints(c),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }

  private static boolean less(long a, long b, int shift) {
    return HALF.value(half(a, shift)) < HALF.value(half(b, shift));
  }

  private static KernelCase functions() {
    Inputs inputs = new Inputs(22);
    long[] a = new long[COUNT];
    for (int i = 0; i < COUNT; i++) {
      a[i] = HALF.round(inputs.between(-8, 8), 'n');
    }
    Rows rows = new Rows(2, COUNT, i -> "" + HALF.value(a[i]));
    rows.near("ex2", HALF, 0x1p-9, 0x1p-24, i -> Math.pow(2, HALF.value(a[i])))
        .near("tanh", HALF, 0x1p-9, 0x1p-10, i -> Math.tanh(HALF.value(a[i])));
    return KernelCase.of(
            "half.ptx",
            "half_functions",
            COUNT / 128,
            128,
            shorts(a),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(1, rows);
  }

  private static KernelCase brainFloats() {
    long[] a = patterns(0);
    long[] b = patterns(1);
    long[] c = patterns(2);
    Rows rows =
        new Rows(
            2, COUNT, i -> BRAIN.value(a[i]) + ", " + BRAIN.value(b[i]) + ", " + BRAIN.value(c[i]));
    rows.floats("fma", BRAIN, i -> BRAIN.fma(a[i], b[i], c[i], 'n'))
        .floats("fma.relu", BRAIN, i -> BRAIN.rectify(BRAIN.fma(a[i], b[i], c[i], 'n')))
        .floats("neg", BRAIN, i -> BRAIN.negate(a[i]))
        .floats("abs", BRAIN, i -> BRAIN.absolute(a[i]))
        .floats("min", BRAIN, i -> BRAIN.minimum(a[i], b[i]))
        .floats(
            "max.NaN",
            BRAIN,
            i -> BRAIN.isNaN(a[i]) || BRAIN.isNaN(b[i]) ? BRAIN.nan() : BRAIN.maximum(a[i], b[i]))
        .floats("cvt.rn", BRAIN, i -> BRAIN.round(joined(a, b, i), 'n'))
        .floats("cvt.rz", BRAIN, i -> BRAIN.round(joined(a, b, i), 'z'))
        .floats("cvt.relu", BRAIN, i -> BRAIN.rectify(BRAIN.round(joined(a, b, i), 'n')))
        .floats("bf16x2 low", BRAIN, i -> BRAIN.round(1.5, 'n'))
        .floats("bf16x2 high", BRAIN, i -> BRAIN.round(joined(a, b, i), 'n'))
        .floats("f16x2 low", HALF, i -> HALF.round(-2.5, 'n'))
        .floats("f16x2 high", HALF, i -> HALF.round(joined(a, b, i), 'n'))
        .rowWhere(
            "tf32 upper", i -> !Double.isNaN(joined(a, b, i)), i -> tensor(joined(a, b, i)) >>> 16)
        .rowWhere(
            "tf32 lower",
            i -> !Double.isNaN(joined(a, b, i)),
            i -> tensor(joined(a, b, i)) & 0xE000);
    return KernelCase.of(
            "ampere.ptx",
            "brain_floats",
            COUNT / 128,
            128,
            shorts(a),
            shorts(b),
            shorts(c),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }

  private static double joined(long[] a, long[] b, int i) {
    return Float.intBitsToFloat((int) (a[i] << 16 | b[i]));
  }

  private static long tensor(double value) {
    return Double.isNaN(value) ? 0x7FFF_FFFFL : ReferenceFloats.TENSOR.round(value, 'a') << 13;
  }

  private static KernelCase newerExtrema() {
    long[] a = pairPatterns(0);
    long[] b = pairPatterns(1);
    ReferenceFloats single = ReferenceFloats.SINGLE;
    Rows rows = new Rows(4, COUNT, i -> String.format("0x%x, 0x%x", a[i], b[i]));
    rows.floats(
            "min.NaN.f32",
            single,
            i ->
                single.isNaN(a[i]) || single.isNaN(b[i])
                    ? single.nan()
                    : single.minimum(a[i], b[i]))
        .floats(
            "max.NaN.f32",
            single,
            i ->
                single.isNaN(a[i]) || single.isNaN(b[i])
                    ? single.nan()
                    : single.maximum(a[i], b[i]));
    pair(rows, "min.f16x2", (s, i) -> HALF.minimum(half(a[i], s), half(b[i], s)));
    pair(
        rows,
        "max.NaN.f16x2",
        (s, i) ->
            HALF.isNaN(half(a[i], s)) || HALF.isNaN(half(b[i], s))
                ? HALF.nan()
                : HALF.maximum(half(a[i], s), half(b[i], s)));
    pair(
        rows,
        "fma.relu.f16x2",
        (s, i) -> HALF.rectify(HALF.fma(half(a[i], s), half(b[i], s), half(a[i], s), 'n')));
    return KernelCase.of(
            "ampere.ptx",
            "newer_extrema",
            COUNT / 128,
            128,
            ints(a),
            ints(b),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(2, rows);
  }
}

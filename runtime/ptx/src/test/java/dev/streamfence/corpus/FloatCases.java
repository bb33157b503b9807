package dev.streamfence.corpus;

import java.util.List;

/** The kernels of {@code float.cu}. */
final class FloatCases {
  private static final String FILE = "float.ptx";
  private static final int COUNT = 4864;
  private static final ReferenceFloats F32 = ReferenceFloats.SINGLE;
  private static final ReferenceFloats F64 = ReferenceFloats.DOUBLE;

  private FloatCases() {}

  static List<KernelCase> all() {
    return List.of(singles(), singleComparisons(), approximations(), doubles());
  }

  /** An operation on the bits of three values, in a rounding. */
  @FunctionalInterface
  private interface Rounded {
    long of(int thread, char mode);
  }

  private static void roundings(Rows rows, ReferenceFloats format, String name, Rounded f) {
    for (char mode : new char[] {'n', 'z', 'm', 'p'}) {
      rows.floats(name + ".r" + mode, format, i -> f.of(i, mode));
    }
  }

  private static float[] floats(double[] values) {
    float[] narrowed = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      narrowed[i] = (float) values[i];
    }
    return narrowed;
  }

  private static long[] bits(float[] values) {
    long[] bits = new long[values.length];
    for (int i = 0; i < values.length; i++) {
      bits[i] = Float.floatToRawIntBits(values[i]) & 0xFFFF_FFFFL;
    }
    return bits;
  }

  private static long[] bits(double[] values) {
    long[] bits = new long[values.length];
    for (int i = 0; i < values.length; i++) {
      bits[i] = Double.doubleToRawLongBits(values[i]);
    }
    return bits;
  }

  /** The rows that both precisions have. */
  private static Rows arithmetic(Rows rows, ReferenceFloats f, long[] a, long[] b, long[] c) {
    long one = f.round(1.0, 'n');
    roundings(rows, f, "add", (i, mode) -> f.add(a[i], b[i], mode));
    roundings(rows, f, "sub", (i, mode) -> f.subtract(a[i], b[i], mode));
    roundings(rows, f, "mul", (i, mode) -> f.multiply(a[i], b[i], mode));
    roundings(rows, f, "fma", (i, mode) -> f.fma(a[i], b[i], c[i], mode));
    roundings(rows, f, "div", (i, mode) -> f.divide(a[i], b[i], mode));
    roundings(rows, f, "rcp", (i, mode) -> f.divide(one, a[i], mode));
    roundings(rows, f, "sqrt", (i, mode) -> f.squareRoot(a[i], mode));
    return rows;
  }

  private static KernelCase singles() {
    double[][] in = new Inputs(11).numbers(COUNT);
    long[] a = bits(floats(in[0]));
    long[] b = bits(floats(in[1]));
    long[] c = bits(floats(in[2]));
    Rows rows =
        arithmetic(
            new Rows(
                4,
                COUNT,
                i -> (float) in[0][i] + ", " + (float) in[1][i] + ", " + (float) in[2][i]),
            F32,
            a,
            b,
            c);
    rows.floats("add.ftz", F32, i -> F32.flush(F32.add(F32.flush(a[i]), F32.flush(b[i]), 'n')))
        .floats("mul.ftz", F32, i -> F32.flush(F32.multiply(F32.flush(a[i]), F32.flush(b[i]), 'n')))
        .floats(
            "fma.ftz",
            F32,
            i -> F32.flush(F32.fma(F32.flush(a[i]), F32.flush(b[i]), F32.flush(c[i]), 'n')))
        .floats("add.sat", F32, i -> F32.saturate(F32.add(a[i], b[i], 'n')))
        .floats("mul.sat", F32, i -> F32.saturate(F32.multiply(a[i], b[i], 'n')))
        .floats("fma.sat", F32, i -> F32.saturate(F32.fma(a[i], b[i], c[i], 'n')))
        .floats("abs", F32, i -> F32.absolute(a[i]))
        .floats("neg", F32, i -> F32.negate(a[i]))
        .floats("min", F32, i -> F32.minimum(a[i], b[i]))
        .floats("max", F32, i -> F32.maximum(a[i], b[i]))
        .floats("copysign", F32, i -> F32.absolute(b[i]) | (a[i] & 0x8000_0000L));
    return KernelCase.of(
            FILE,
            "single_precision",
            COUNT / 256,
            256,
            Buffers.of(floats(in[0])),
            Buffers.of(floats(in[1])),
            Buffers.of(floats(in[2])),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }

  /** Tells a relation between two numbers. */
  @FunctionalInterface
  private interface Relation {
    boolean of(float a, float b);
  }

  private static KernelCase singleComparisons() {
    double[][] in = new Inputs(12).numbers(COUNT);
    float[] a = floats(in[0]);
    float[] b = floats(in[1]);
    float[] c = floats(in[2]);
    Rows rows = new Rows(4, COUNT, i -> a[i] + ", " + b[i] + ", " + c[i]);
    set(rows, "eq", a, b, (x, y) -> x == y);
    set(rows, "ne", a, b, (x, y) -> x < y || x > y);
    set(rows, "lt", a, b, (x, y) -> x < y);
    set(rows, "le", a, b, (x, y) -> x <= y);
    set(rows, "gt", a, b, (x, y) -> x > y);
    set(rows, "ge", a, b, (x, y) -> x >= y);
    set(rows, "equ", a, b, (x, y) -> unordered(x, y) || x == y);
    set(rows, "neu", a, b, (x, y) -> unordered(x, y) || x != y);
    set(rows, "ltu", a, b, (x, y) -> unordered(x, y) || x < y);
    set(rows, "leu", a, b, (x, y) -> unordered(x, y) || x <= y);
    set(rows, "gtu", a, b, (x, y) -> unordered(x, y) || x > y);
    set(rows, "geu", a, b, (x, y) -> unordered(x, y) || x >= y);
    set(rows, "num", a, b, (x, y) -> !unordered(x, y));
    set(rows, "nan", a, b, FloatCases::unordered);
    set(rows, "eq.ftz", a, b, (x, y) -> flushed(x) == flushed(y));
    rows.row("finite", i -> Float.isFinite(a[i]) ? 1 : 0)
        .row("infinite", i -> Float.isInfinite(a[i]) ? 1 : 0)
        .row("number", i -> Float.isNaN(a[i]) ? 0 : 1)
        .row("notanumber", i -> Float.isNaN(a[i]) ? 1 : 0)
        .row(
            "normal",
            i -> Float.isFinite(a[i]) && (a[i] == 0 || Math.abs(a[i]) >= Float.MIN_NORMAL) ? 1 : 0)
        .row("subnormal", i -> a[i] != 0 && Math.abs(a[i]) < Float.MIN_NORMAL ? 1 : 0)
        .floats("slct", F32, i -> Float.floatToRawIntBits(c[i] >= 0 ? a[i] : b[i]));
    return KernelCase.of(
            FILE,
            "single_comparisons",
            COUNT / 256,
            256,
            Buffers.of(a),
            Buffers.of(b),
            Buffers.of(c),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }

  private static void set(Rows rows, String name, float[] a, float[] b, Relation relation) {
    rows.row("set." + name, i -> relation.of(a[i], b[i]) ? -1 : 0);
  }

  private static boolean unordered(float x, float y) {
    return Float.isNaN(x) || Float.isNaN(y);
  }

  private static float flushed(float x) {
    return Math.abs(x) < Float.MIN_NORMAL ? 0 : x;
  }

  private static KernelCase approximations() {
    Inputs inputs = new Inputs(13);
    float[] a = new float[COUNT];
    float[] b = new float[COUNT];
    float[] c = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      a[i] = (float) inputs.between(-1000, 1000);
      b[i] = (float) Math.scalb(inputs.between(1, 2), i % 40 - 20) * (i % 2 == 0 ? 1 : -1);
      c[i] = (float) inputs.between(-3.14159, 3.14159);
    }
    // The errors that the language's reference and the programming guide promise, rounded up.
    double ulp = 0x1p-23;
    Rows rows = new Rows(4, COUNT, i -> a[i] + ", " + b[i] + ", " + c[i]);
    rows.near("div.approx", F32, 2 * ulp, 1e-44, i -> (double) a[i] / b[i])
        .near("div.full", F32, 2 * ulp, 1e-44, i -> (double) a[i] / b[i])
        .near("rcp.approx", F32, ulp, 0, i -> 1.0 / b[i])
        .near("sqrt.approx", F32, 2 * ulp, 0, i -> Math.sqrt(Math.abs(a[i])))
        .near("rsqrt.approx", F32, 4 * ulp, 0, i -> 1 / Math.sqrt(Math.abs(b[i])))
        .near("sin.approx", F32, 0, 0x1p-20, i -> Math.sin(c[i]))
        .near("cos.approx", F32, 0, 0x1p-20, i -> Math.cos(c[i]))
        .near("lg2.approx", F32, 4 * ulp, 0x1p-22, i -> Math.log(Math.abs(b[i])) / Math.log(2))
        .near("ex2.approx", F32, 4 * ulp, 0, i -> Math.pow(2, c[i]))
        .near("tanh.approx", F32, 0x1p-10, 0, i -> Math.tanh(c[i]))
        .near("sinf", F32, 4 * ulp, 1e-9, i -> Math.sin(c[i]))
        .near("expf", F32, 4 * ulp, 0, i -> Math.exp(c[i]))
        .near("logf", F32, 4 * ulp, 1e-9, i -> Math.log(Math.abs(b[i])))
        .near("powf", F32, 16 * ulp, 0, i -> Math.pow(Math.abs(b[i]), 0.3f))
        .floats("/", F32, i -> Float.floatToRawIntBits(a[i] / b[i]))
        .floats("sqrtf", F32, i -> Float.floatToRawIntBits((float) Math.sqrt(Math.abs(a[i]))));
    return KernelCase.of(
            FILE,
            "approximations",
            COUNT / 256,
            256,
            Buffers.of(a),
            Buffers.of(b),
            Buffers.of(c),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }

  private static KernelCase doubles() {
    double[][] in = new Inputs(14).numbers(COUNT);
    long[] a = bits(in[0]);
    long[] b = bits(in[1]);
    Rows rows =
        arithmetic(
            new Rows(8, COUNT, i -> in[0][i] + ", " + in[1][i] + ", " + in[2][i]),
            F64,
            a,
            b,
            bits(in[2]));
    rows.floats("abs", F64, i -> F64.absolute(a[i]))
        .floats("neg", F64, i -> F64.negate(a[i]))
        .floats("min", F64, i -> F64.minimum(a[i], b[i]))
        .floats("max", F64, i -> F64.maximum(a[i], b[i]))
        .floats("copysign", F64, i -> F64.absolute(b[i]) | (a[i] & Long.MIN_VALUE))
        .row("<", i -> in[0][i] < in[1][i] ? 1 : 0)
        .row("<=", i -> in[0][i] <= in[1][i] ? 1 : 0)
        .row("==", i -> in[0][i] == in[1][i] ? 1 : 0)
        .row("!=", i -> in[0][i] != in[1][i] ? 1 : 0)
        .row("not >=", i -> in[0][i] >= in[1][i] ? 0 : 1);
    return KernelCase.of(
            FILE,
            "double_precision",
            COUNT / 256,
            256,
            Buffers.of(in[0]),
            Buffers.of(in[1]),
            Buffers.of(in[2]),
            Buffers.zeros(rows.sizeInBytes()),
            COUNT)
        .expect(3, rows);
  }
}

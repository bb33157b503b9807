package dev.streamfence.corpus;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;

/** The kernels of {@code convert.cu}. */
final class ConversionCases {
  private static final String FILE = "convert.ptx";
  private static final int COUNT = 4096;
  private static final ReferenceFloats F16 = ReferenceFloats.HALF;
  private static final ReferenceFloats F32 = ReferenceFloats.SINGLE;
  private static final ReferenceFloats F64 = ReferenceFloats.DOUBLE;

  private ConversionCases() {}

  static List<KernelCase> all() {
    return List.of(integers(), integersToFloats(), floatsToIntegers(), floatsToFloats());
  }

  private static KernelCase kernel(String entry, byte[] in, Rows rows) {
    return KernelCase.of(
            FILE, entry, COUNT / 128, 128, in, Buffers.zeros(rows.sizeInBytes()), COUNT)
        .expect(1, rows);
  }

  /** Clamps to the range of an integer type; gives its bits, extended to 32 or 64. */
  private static long clamped(BigInteger value, int bits, boolean signed) {
    BigInteger least = signed ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
    BigInteger most = BigInteger.ONE.shiftLeft(signed ? bits - 1 : bits).subtract(BigInteger.ONE);
    long clamped = value.max(least).min(most).longValue();
    return bits == 64 ? clamped : clamped & 0xFFFF_FFFFL;
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  private static BigInteger bigUnsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  private static KernelCase integers() {
    long[] a = new Inputs(31).integers(COUNT)[0];
    Rows rows = new Rows(8, COUNT, i -> String.format("0x%x", a[i]));
    rows.row("u32.u8", i -> a[i] & 0xFF)
        .row("s32.s8", i -> (byte) a[i] & 0xFFFF_FFFFL)
        .row("u32.u16", i -> a[i] & 0xFFFF)
        .row("s32.s16", i -> (short) a[i] & 0xFFFF_FFFFL)
        .row("u64.u32", i -> a[i] & 0xFFFF_FFFFL)
        .row("s64.s32", i -> (int) a[i])
        .row("s64.s8", i -> (byte) a[i])
        .row("u64.u16", i -> a[i] & 0xFFFF)
        .row("u32.u64", i -> a[i] & 0xFFFF_FFFFL)
        .row("sat.s8.s32", i -> clamped(big((int) a[i]), 8, true))
        .row("sat.u8.s32", i -> clamped(big((int) a[i]), 8, false))
        .row("sat.u8.u32", i -> clamped(big(a[i] & 0xFFFF_FFFFL), 8, false))
        .row("sat.s16.s32", i -> clamped(big((int) a[i]), 16, true))
        .row("sat.u16.s32", i -> clamped(big((int) a[i]), 16, false))
        .row("sat.s32.u32", i -> clamped(big(a[i] & 0xFFFF_FFFFL), 32, true))
        .row("sat.u32.s32", i -> clamped(big((int) a[i]), 32, false))
        .row("sat.s32.s64", i -> clamped(big(a[i]), 32, true))
        .row("sat.u32.s64", i -> clamped(big(a[i]), 32, false))
        .row("sat.u32.u64", i -> clamped(bigUnsigned(a[i]), 32, false))
        .row("sat.s32.u64", i -> clamped(bigUnsigned(a[i]), 32, true))
        .row("sat.s64.u64", i -> clamped(bigUnsigned(a[i]), 64, true))
        .row("sat.u64.s64", i -> clamped(big(a[i]), 64, false));
    return kernel("integer_conversions", Buffers.of(a), rows);
  }

  private static KernelCase integersToFloats() {
    long[] a = new Inputs(32).integers(COUNT)[0];
    Rows rows = new Rows(8, COUNT, i -> String.format("0x%x", a[i]));
    rows.row("rn.f32.s32", i -> F32.round(big((int) a[i]), 'n'))
        .row("rz.f32.s32", i -> F32.round(big((int) a[i]), 'z'))
        .row("rm.f32.s32", i -> F32.round(big((int) a[i]), 'm'))
        .row("rp.f32.s32", i -> F32.round(big((int) a[i]), 'p'))
        .row("rn.f32.u32", i -> F32.round(big(a[i] & 0xFFFF_FFFFL), 'n'))
        .row("rp.f32.u32", i -> F32.round(big(a[i] & 0xFFFF_FFFFL), 'p'))
        .row("rn.f32.s64", i -> F32.round(big(a[i]), 'n'))
        .row("rz.f32.s64", i -> F32.round(big(a[i]), 'z'))
        .row("rn.f32.u64", i -> F32.round(bigUnsigned(a[i]), 'n'))
        .row("rp.f32.u64", i -> F32.round(bigUnsigned(a[i]), 'p'))
        .row("rn.f32.s16", i -> F32.round(big((short) a[i]), 'n'))
        .row("rn.f32.u16", i -> F32.round(big(a[i] & 0xFFFF), 'n'))
        .row("rn.f64.s32", i -> F64.round(big((int) a[i]), 'n'))
        .row("rn.f64.u32", i -> F64.round(big(a[i] & 0xFFFF_FFFFL), 'n'))
        .row("rn.f64.s64", i -> F64.round(big(a[i]), 'n'))
        .row("rz.f64.s64", i -> F64.round(big(a[i]), 'z'))
        .row("rm.f64.s64", i -> F64.round(big(a[i]), 'm'))
        .row("rp.f64.s64", i -> F64.round(big(a[i]), 'p'))
        .row("rn.f64.u64", i -> F64.round(bigUnsigned(a[i]), 'n'))
        .row("rp.f64.u64", i -> F64.round(bigUnsigned(a[i]), 'p'))
        .row("rn.f16.s32", i -> F16.round(big((int) a[i]), 'n'))
        .row("rn.f16.u16", i -> F16.round(big(a[i] & 0xFFFF), 'n'))
        .row("rz.f16.s64", i -> F16.round(big(a[i]), 'z'))
        .row("rn.sat.f32.s32", i -> (int) a[i] > 0 ? F32.round(1.0, 'n') : 0);
    return kernel("integers_to_floats", Buffers.of(a), rows);
  }

  private static RoundingMode integral(char mode) {
    return switch (mode) {
      case 'n' -> RoundingMode.HALF_EVEN;
      case 'z' -> RoundingMode.DOWN;
      case 'm' -> RoundingMode.FLOOR;
      default -> RoundingMode.CEILING;
    };
  }

  /** Converts by the rules of the PTX reference, those for NaN included. */
  private static long toInteger(
      double value, char mode, int bits, boolean signed, boolean fromDouble) {
    if (Double.isNaN(value)) {
      long nan = fromDouble || bits == 64 ? 1L << (bits - 1) : 0;
      return signed && bits < 32 ? nan << (64 - bits) >> (64 - bits) & 0xFFFF_FFFFL : nan;
    }
    if (Double.isInfinite(value)) {
      return clamped(BigInteger.TEN.pow(30).multiply(big(value > 0 ? 1 : -1)), bits, signed);
    }
    BigInteger exact = new BigDecimal(value).setScale(0, integral(mode)).toBigInteger();
    return clamped(exact, bits, signed);
  }

  /** Gives the number that a thread converts. */
  @FunctionalInterface
  private interface Number {
    double of(int thread);
  }

  private static void toIntegers(Rows rows, String type, Number in) {
    boolean f64 = type.equals("f64");
    for (char mode : "nzmp".toCharArray()) {
      rows.row("s32." + type + mode, i -> toInteger(in.of(i), mode, 32, true, f64));
    }
    for (char mode : "nz".toCharArray()) {
      rows.row("u32." + type + mode, i -> toInteger(in.of(i), mode, 32, false, f64));
    }
    for (char mode : "nzmp".toCharArray()) {
      rows.row("s64." + type + mode, i -> toInteger(in.of(i), mode, 64, true, f64));
    }
    rows.row("u64." + type, i -> toInteger(in.of(i), 'z', 64, false, f64))
        .row("s16." + type, i -> toInteger(in.of(i), 'z', 16, true, f64))
        .row("u16." + type, i -> toInteger(in.of(i), 'z', 16, false, f64))
        .row("s8." + type, i -> toInteger(in.of(i), 'n', 8, true, f64))
        .row("u8." + type, i -> toInteger(in.of(i), 'n', 8, false, f64));
  }

  private static KernelCase floatsToIntegers() {
    double[] a = new Inputs(33).numbers(COUNT)[0];
    Rows rows = new Rows(8, COUNT, i -> "" + a[i]);
    toIntegers(rows, "f64", i -> a[i]);
    toIntegers(rows, "f32", i -> (float) a[i]);
    toIntegers(rows, "f16", i -> F16.value(F16.round((float) a[i], 'n')));
    return kernel("floats_to_integers", Buffers.of(a), rows);
  }

  private static long integralBits(ReferenceFloats format, double value, char mode) {
    if (!Double.isFinite(value) || value == 0) {
      return format.round(value, 'n');
    }
    BigDecimal exact = new BigDecimal(value).setScale(0, integral(mode));
    return exact.signum() == 0
        ? format.round(Math.copySign(0.0, value), 'n')
        : format.round(exact.toBigIntegerExact(), 'n');
  }

  private static KernelCase floatsToFloats() {
    double[] a = new Inputs(34).numbers(COUNT)[0];
    Rows rows = new Rows(8, COUNT, i -> "" + a[i]);
    rows.floats("rn.f32.f64", F32, i -> F32.round(a[i], 'n'))
        .floats("rz.f32.f64", F32, i -> F32.round(a[i], 'z'))
        .floats("rm.f32.f64", F32, i -> F32.round(a[i], 'm'))
        .floats("rp.f32.f64", F32, i -> F32.round(a[i], 'p'))
        .floats("f64.f32", F64, i -> F64.round((float) a[i], 'n'))
        .floats("rn.f16.f32", F16, i -> F16.round((float) a[i], 'n'))
        .floats("rz.f16.f32", F16, i -> F16.round((float) a[i], 'z'))
        .floats("rm.f16.f32", F16, i -> F16.round((float) a[i], 'm'))
        .floats("rp.f16.f32", F16, i -> F16.round((float) a[i], 'p'))
        .floats("rn.f16.f64", F16, i -> F16.round(a[i], 'n'))
        .floats("f32.f16", F32, i -> F32.round(F16.value(mixed(a[i])), 'n'))
        .floats("f64.f16", F64, i -> F64.round(F16.value(mixed(a[i])), 'n'))
        .floats("rni.f32", F32, i -> integralBits(F32, (float) a[i], 'n'))
        .floats("rzi.f32", F32, i -> integralBits(F32, (float) a[i], 'z'))
        .floats("rmi.f32", F32, i -> integralBits(F32, (float) a[i], 'm'))
        .floats("rpi.f32", F32, i -> integralBits(F32, (float) a[i], 'p'))
        .floats("rni.f64", F64, i -> integralBits(F64, a[i], 'n'))
        .floats("rpi.f64", F64, i -> integralBits(F64, a[i], 'p'))
        .floats("sat.f32", F32, i -> F32.saturate(F32.round((float) a[i], 'n')))
        .floats("ftz.f32", F32, i -> F32.flush(F32.round((float) a[i], 'n')))
        .floats("rn.sat.f32.f64", F32, i -> F32.saturate(F32.round(a[i], 'n')))
        .floats("rn.sat.f16.f32", F16, i -> F16.saturate(F16.round((float) a[i], 'n')));
    return kernel("floats_to_floats", Buffers.of(a), rows);
  }

  /** The half that the kernel makes of a double's first and last bits. */
  private static long mixed(double value) {
    long bits = Double.doubleToRawLongBits(value);
    return (bits ^ bits >>> 48) & 0xFFFF;
  }
}

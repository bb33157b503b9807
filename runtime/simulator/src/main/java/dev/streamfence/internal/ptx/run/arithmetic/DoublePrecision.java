package dev.streamfence.internal.ptx.run.arithmetic;

/**
 * The 64-bit format. Rounding to nearest is Java's own; for the other roundings, decimal arithmetic
 * determines its error. That is slow but simple, and hardly any kernel uses them.
 */
final class DoublePrecision implements FloatFormat {
  static final DoublePrecision INSTANCE = new DoublePrecision();

  private static final long NAN = 0xFFF8_0000_0000_0000L;

  private DoublePrecision() {}

  private static double value(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static long bits(double value) {
    return Double.isNaN(value) ? NAN : Double.doubleToRawLongBits(value);
  }

  private static boolean finite(double a, double b, double c) {
    return Double.isFinite(a) && Double.isFinite(b) && Double.isFinite(c);
  }

  private static boolean isPositiveZero(double value) {
    return Double.doubleToRawLongBits(value) == 0;
  }

  @Override
  public double decode(long bits) {
    return value(bits);
  }

  @Override
  public long encode(double odd, Rounding rounding) {
    return bits(odd);
  }

  @Override
  public long add(long a, long b, Rounding rounding) {
    double x = value(a);
    double y = value(b);
    double sum = x + y;
    if (rounding == Rounding.NEAREST || !finite(x, y, 0)) {
      return bits(sum);
    }
    int error = Exact.errorOfSum(x, y, sum);
    return bits(signed(sum, error, x, y, rounding));
  }

  private static double signed(double sum, int error, double x, double y, Rounding rounding) {
    if (sum == 0 && error == 0) {
      return rounding == Rounding.DOWN && !(isPositiveZero(x) && isPositiveZero(y)) ? -0.0 : sum;
    }
    return rounding.adjust(sum, error);
  }

  @Override
  public long multiply(long a, long b, Rounding rounding) {
    double x = value(a);
    double y = value(b);
    double product = x * y;
    if (rounding == Rounding.NEAREST || !finite(x, y, 0)) {
      return bits(product);
    }
    return bits(rounding.adjust(product, Exact.errorOfFma(x, y, 0, product)));
  }

  @Override
  public long fma(long a, long b, long c, Rounding rounding) {
    double x = value(a);
    double y = value(b);
    double z = value(c);
    double result = Math.fma(x, y, z);
    if (rounding == Rounding.NEAREST || !finite(x, y, z)) {
      return bits(result);
    }
    int error = Exact.errorOfFma(x, y, z, result);
    // Where the product underflows its sign still counts for the sign of a zero.
    return bits(signed(result, error, x * y, z, rounding));
  }

  @Override
  public long divide(long a, long b, Rounding rounding) {
    double x = value(a);
    double y = value(b);
    double quotient = x / y;
    if (rounding == Rounding.NEAREST || !finite(x, y, 0) || y == 0) {
      return bits(quotient);
    }
    return bits(rounding.adjust(quotient, Exact.errorOfQuotient(x, y, quotient)));
  }

  @Override
  public long squareRoot(long a, Rounding rounding) {
    double x = value(a);
    double root = Math.sqrt(x);
    if (rounding == Rounding.NEAREST || !Double.isFinite(root)) {
      return bits(root);
    }
    return bits(rounding.adjust(root, Exact.errorOfRoot(x, root)));
  }

  @Override
  public long signBit() {
    return Long.MIN_VALUE;
  }

  @Override
  public long canonicalNaN() {
    return NAN;
  }

  @Override
  public double smallestNormal() {
    return Double.MIN_NORMAL;
  }
}

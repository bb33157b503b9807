package dev.streamfence.internal.ptx.run.arithmetic;

/**
 * The 32-bit format. Rounding to nearest is Java's own; the other roundings go through double,
 * which holds products exactly and sums rounded to odd.
 */
public final class SinglePrecision implements FloatFormat {
  static final SinglePrecision INSTANCE = new SinglePrecision();

  private static final long NAN = 0x7FFF_FFFFL;

  private SinglePrecision() {}

  public static float value(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  public static long bits(float value) {
    return Float.isNaN(value) ? NAN : Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
  }

  @Override
  public double decode(long bits) {
    return value(bits);
  }

  @Override
  public long encode(double odd, Rounding rounding) {
    return bits(rounding.toFloat(odd));
  }

  @Override
  public long add(long a, long b, Rounding rounding) {
    float x = value(a);
    float y = value(b);
    if (rounding == Rounding.NEAREST) {
      return bits(x + y);
    }
    return signed(Exact.addToOdd(x, y), x, y, rounding);
  }

  /** Rounds a sum; one that is exactly zero takes its sign from the rounding. */
  private static long signed(double sum, double x, double y, Rounding rounding) {
    if (sum == 0 && rounding == Rounding.DOWN && !(isPositiveZero(x) && isPositiveZero(y))) {
      return 0x8000_0000L;
    }
    return bits(rounding.toFloat(sum));
  }

  private static boolean isPositiveZero(double value) {
    return Double.doubleToRawLongBits(value) == 0;
  }

  @Override
  public long multiply(long a, long b, Rounding rounding) {
    if (rounding == Rounding.NEAREST) {
      return bits(value(a) * value(b));
    }
    return bits(rounding.toFloat((double) value(a) * value(b)));
  }

  @Override
  public long fma(long a, long b, long c, Rounding rounding) {
    double product = (double) value(a) * value(b);
    float addend = value(c);
    return signed(Exact.addToOdd(product, addend), product, addend, rounding);
  }

  @Override
  public long divide(long a, long b, Rounding rounding) {
    // A quotient of two 24-bit numbers is never so close to a third one that 53 bits cannot
    // separate them.
    return bits(rounding.toFloat((double) value(a) / value(b)));
  }

  @Override
  public long squareRoot(long a, Rounding rounding) {
    return bits(rounding.toFloat(Math.sqrt(value(a))));
  }

  @Override
  public long signBit() {
    return 0x8000_0000L;
  }

  @Override
  public long canonicalNaN() {
    return NAN;
  }

  @Override
  public double smallestNormal() {
    return Float.MIN_NORMAL;
  }
}

package dev.streamfence.corpus;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Floating-point arithmetic from first principles: exact fractions of big integers, rounded once.
 * Shares nothing with the interpreter.
 */
final class ReferenceFloats {
  static final ReferenceFloats SINGLE = new ReferenceFloats(24, 8);
  static final ReferenceFloats DOUBLE = new ReferenceFloats(53, 11);
  static final ReferenceFloats HALF = new ReferenceFloats(11, 5);
  static final ReferenceFloats BRAIN = new ReferenceFloats(8, 8);
  static final ReferenceFloats TENSOR = new ReferenceFloats(11, 8);

  private final int precision;
  private final int exponentBits;
  private final int bias;

  private ReferenceFloats(int precision, int exponentBits) {
    this.precision = precision;
    this.exponentBits = exponentBits;
    this.bias = (1 << (exponentBits - 1)) - 1;
  }

  /** An exact number: a fraction with a positive denominator. */
  private record Fraction(BigInteger over, BigInteger under) {
    static Fraction of(double value) {
      BigDecimal decimal = new BigDecimal(value);
      return decimal.scale() <= 0
          ? new Fraction(decimal.toBigIntegerExact(), BigInteger.ONE)
          : new Fraction(decimal.unscaledValue(), BigInteger.TEN.pow(decimal.scale()));
    }

    Fraction plus(Fraction other) {
      return new Fraction(
          over.multiply(other.under).add(other.over.multiply(under)), under.multiply(other.under));
    }

    Fraction times(Fraction other) {
      return new Fraction(over.multiply(other.over), under.multiply(other.under));
    }

    Fraction inverse() {
      return over.signum() < 0
          ? new Fraction(under.negate(), over.negate())
          : new Fraction(under, over);
    }

    boolean isZero() {
      return over.signum() == 0;
    }
  }

  private long signBit() {
    return 1L << (precision - 1 + exponentBits);
  }

  private long infinity() {
    return ((1L << exponentBits) - 1) << (precision - 1);
  }

  long nan() {
    return infinity() | 1;
  }

  /** Returns the number that bits stand for. */
  double value(long bits) {
    long fraction = bits & ((1L << (precision - 1)) - 1);
    int exponent = (int) (bits >>> (precision - 1)) & ((1 << exponentBits) - 1);
    double magnitude;
    if (exponent == (1 << exponentBits) - 1) {
      magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else {
      double units = exponent == 0 ? fraction : fraction + Math.pow(2, precision - 1);
      magnitude = Math.scalb(units, Math.max(exponent, 1) - bias - precision + 1);
    }
    return (bits & signBit()) != 0 ? -magnitude : magnitude;
  }

  /** Rounds a number that is not finite or that is zero. */
  private long special(double value) {
    if (Double.isNaN(value)) {
      return nan();
    }
    long sign = Double.doubleToRawLongBits(value) < 0 ? signBit() : 0;
    return value == 0 ? sign : sign | infinity();
  }

  /** Rounds a double. */
  long round(double value, char mode) {
    return !Double.isFinite(value) || value == 0 ? special(value) : round(Fraction.of(value), mode);
  }

  /** Rounds an integer. */
  long round(BigInteger value, char mode) {
    return value.signum() == 0 ? 0 : round(new Fraction(value, BigInteger.ONE), mode);
  }

  /** Rounds a number other than zero: n nearest, a nearest with ties away, z, m down, p up. */
  private long round(Fraction exact, char mode) {
    boolean negative = exact.over.signum() < 0;
    BigInteger over = exact.over.abs();
    BigInteger under = exact.under;
    int exponent = over.bitLength() - under.bitLength();
    if (compareScaled(over, under, exponent) < 0) {
      exponent--;
    }
    int unit = Math.max(exponent, 1 - bias) - (precision - 1);
    BigInteger scaledOver = unit < 0 ? over.shiftLeft(-unit) : over;
    BigInteger scaledUnder = unit > 0 ? under.shiftLeft(unit) : under;
    BigInteger[] parts = scaledOver.divideAndRemainder(scaledUnder);
    int half = parts[1].shiftLeft(1).compareTo(scaledUnder);
    return assemble(parts[0], parts[1].signum() != 0, half, unit, negative, mode);
  }

  /** Compares a fraction with a power of two. */
  private static int compareScaled(BigInteger over, BigInteger under, int exponent) {
    return exponent >= 0
        ? over.compareTo(under.shiftLeft(exponent))
        : over.shiftLeft(-exponent).compareTo(under);
  }

  private long assemble(
      BigInteger units, boolean inexact, int half, int unit, boolean negative, char mode) {
    boolean up =
        inexact
            && switch (mode) {
              case 'n' -> half > 0 || (half == 0 && units.testBit(0));
              case 'a' -> half >= 0;
              case 'p' -> !negative;
              case 'm' -> negative;
              default -> false;
            };
    long fraction = units.longValueExact() + (up ? 1 : 0);
    int biased = unit + precision - 1 + bias;
    if (fraction >> precision != 0) {
      fraction >>= 1;
      biased++;
    }
    if (fraction >> (precision - 1) == 0) {
      biased = 0;
    }
    long sign = negative ? signBit() : 0;
    if (biased >= (1 << exponentBits) - 1) {
      boolean finite = mode == 'z' || (mode == 'm' && !negative) || (mode == 'p' && negative);
      return sign | (finite ? infinity() - 1 : infinity());
    }
    return sign | ((long) biased << (precision - 1)) | (fraction & ((1L << (precision - 1)) - 1));
  }

  private static boolean allFinite(double... values) {
    for (double value : values) {
      if (!Double.isFinite(value)) {
        return false;
      }
    }
    return true;
  }

  /** Rounds a sum of two numbers given as fractions, and as doubles for the signs of zeros. */
  private long sum(Fraction x, Fraction y, boolean xNegative, boolean yNegative, char mode) {
    Fraction exact = x.plus(y);
    if (!exact.isZero()) {
      return round(exact, mode);
    }
    boolean negative = x.isZero() && xNegative == yNegative ? xNegative : mode == 'm';
    return negative ? signBit() : 0;
  }

  private static boolean isNegative(double value) {
    return Double.doubleToRawLongBits(value) < 0;
  }

  long add(long a, long b, char mode) {
    double x = value(a);
    double y = value(b);
    if (!allFinite(x, y)) {
      return special(x + y);
    }
    return sum(Fraction.of(x), Fraction.of(y), isNegative(x), isNegative(y), mode);
  }

  long subtract(long a, long b, char mode) {
    return add(a, b ^ signBit(), mode);
  }

  long multiply(long a, long b, char mode) {
    double x = value(a);
    double y = value(b);
    if (!allFinite(x, y) || x == 0 || y == 0) {
      return special(x * y);
    }
    return round(Fraction.of(x).times(Fraction.of(y)), mode);
  }

  long fma(long a, long b, long c, char mode) {
    double x = value(a);
    double y = value(b);
    double z = value(c);
    if (!allFinite(x, y, z)) {
      boolean product = Double.isFinite(x) && Double.isFinite(y);
      return special(product ? z : x * y + z);
    }
    return sum(
        Fraction.of(x).times(Fraction.of(y)),
        Fraction.of(z),
        isNegative(x) != isNegative(y),
        isNegative(z),
        mode);
  }

  long divide(long a, long b, char mode) {
    double x = value(a);
    double y = value(b);
    if (!allFinite(x, y) || x == 0 || y == 0) {
      return special(x / y);
    }
    return round(Fraction.of(x).times(Fraction.of(y).inverse()), mode);
  }

  long squareRoot(long a, char mode) {
    double x = value(a);
    if (!(x > 0) || Double.isInfinite(x)) {
      return special(Math.sqrt(x));
    }
    // An integer, as small as it can be, times an even power of two.
    Fraction exact = Fraction.of(x);
    BigInteger common = exact.over.gcd(exact.under);
    BigInteger over = exact.over.divide(common);
    int zeros = over.getLowestSetBit();
    int power = zeros - exact.under.divide(common).getLowestSetBit();
    int odd = power & 1;
    BigInteger integer = over.shiftRight(zeros).shiftLeft(odd);
    // Far more digits than needed; one more stands for all that follow.
    int digits = 4 * precision;
    BigInteger scaled = integer.shiftLeft(2 * digits);
    BigInteger[] root = scaled.sqrtAndRemainder();
    BigInteger sticky = root[0].shiftLeft(1).or(BigInteger.valueOf(root[1].signum()));
    int shift = (power - odd) / 2 - digits - 1;
    return round(
        new Fraction(
            sticky.shiftLeft(Math.max(0, shift)), BigInteger.ONE.shiftLeft(Math.max(0, -shift))),
        mode);
  }

  /** Replaces a subnormal number by zero. */
  long flush(long bits) {
    return (bits & infinity()) == 0 ? bits & signBit() : bits;
  }

  /** Clamps to 0 and 1; NaN becomes 0. */
  long saturate(long bits) {
    double x = value(bits);
    return x > 0 ? (x < 1 ? bits : round(1.0, 'n')) : 0;
  }

  long rectify(long bits) {
    double x = value(bits);
    return Double.isNaN(x) || x > 0 ? bits : 0;
  }

  long minimum(long a, long b) {
    double x = value(a);
    double y = value(b);
    if (Double.isNaN(x) || Double.isNaN(y)) {
      return Double.isNaN(x) ? b : a;
    }
    return x < y || (x == y && isNegative(x)) ? a : b;
  }

  long maximum(long a, long b) {
    double x = value(a);
    double y = value(b);
    if (Double.isNaN(x) || Double.isNaN(y)) {
      return Double.isNaN(x) ? b : a;
    }
    return x > y || (x == y && !isNegative(x)) ? a : b;
  }

  boolean isNaN(long bits) {
    return Double.isNaN(value(bits));
  }

  boolean isSubnormal(long bits) {
    return (bits & infinity()) == 0 && value(bits) != 0;
  }

  long negate(long bits) {
    return bits ^ signBit();
  }

  long absolute(long bits) {
    return bits & ~signBit();
  }
}

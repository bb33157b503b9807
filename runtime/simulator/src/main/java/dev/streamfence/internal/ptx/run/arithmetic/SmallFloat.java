package dev.streamfence.internal.ptx.run.arithmetic;

/**
 * A format so small that double holds its products exactly and its sums rounded to odd: half
 * precision, the brain format, and the tensor format in the upper bits of 32.
 */
final class SmallFloat implements FloatFormat {
  static final SmallFloat HALF = new SmallFloat(5, 10, 0, 0x7FFF);
  static final SmallFloat BRAIN = new SmallFloat(8, 7, 0, 0x7FFF);
  static final SmallFloat TENSOR = new SmallFloat(8, 10, 13, 0x7FFF_FFFF);

  private final int fractionBits;
  private final int padding;
  private final int bias;
  private final int largestExponent;
  private final long sign;
  private final long infinity;
  private final long canonicalNaN;

  private SmallFloat(int exponentBits, int fractionBits, int padding, long canonicalNaN) {
    this.fractionBits = fractionBits;
    this.padding = padding;
    this.bias = (1 << (exponentBits - 1)) - 1;
    this.largestExponent = (1 << exponentBits) - 1;
    this.sign = 1L << (exponentBits + fractionBits + padding);
    this.infinity = (long) largestExponent << (fractionBits + padding);
    this.canonicalNaN = canonicalNaN;
  }

  @Override
  public double decode(long bits) {
    double magnitude;
    int exponent = (int) ((bits & (sign - 1)) >>> (fractionBits + padding));
    long fraction = (bits >>> padding) & ((1L << fractionBits) - 1);
    if (exponent == largestExponent) {
      magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else if (exponent == 0) {
      magnitude = Math.scalb((double) fraction, 1 - bias - fractionBits);
    } else {
      magnitude =
          Math.scalb((double) (fraction | 1L << fractionBits), exponent - bias - fractionBits);
    }
    return (bits & sign) != 0 ? -magnitude : magnitude;
  }

  @Override
  public long encode(double odd, Rounding rounding) {
    if (Double.isNaN(odd)) {
      return canonicalNaN;
    }
    long raw = Double.doubleToRawLongBits(odd);
    long signPart = raw < 0 ? sign : 0;
    double magnitude = Math.abs(odd);
    if (Double.isInfinite(odd)) {
      return signPart | infinity;
    }
    if (magnitude == 0) {
      return signPart;
    }
    int exponent = Math.max(Math.getExponent(magnitude), 1 - bias);
    // In units of the last place: below 2^(fractionBits + 1), and exact but for underflow of
    // doubles, which are far smaller than half a unit.
    double units = Math.scalb(magnitude, fractionBits - exponent);
    long whole = (long) units;
    double rest = units - whole;
    if (roundsUp(whole, rest, raw < 0, rounding)) {
      whole++;
    }
    // A carry out of the fraction runs into the exponent, as it should.
    long biased = ((long) (exponent + bias - 1) << fractionBits) + whole;
    long largest = (long) largestExponent << fractionBits;
    if (biased >= largest) {
      boolean toInfinity =
          switch (rounding) {
            case NEAREST, NEAREST_AWAY -> true;
            case ZERO -> false;
            case DOWN -> raw < 0;
            case UP -> raw > 0;
          };
      biased = toInfinity ? largest : largest - 1;
    }
    return signPart | biased << padding;
  }

  private static boolean roundsUp(long whole, double rest, boolean negative, Rounding rounding) {
    return switch (rounding) {
      case NEAREST -> rest > 0.5 || (rest == 0.5 && (whole & 1) != 0);
      case NEAREST_AWAY -> rest >= 0.5;
      case ZERO -> false;
      case DOWN -> negative && rest > 0;
      case UP -> !negative && rest > 0;
    };
  }

  @Override
  public long add(long a, long b, Rounding rounding) {
    return encode(Exact.addToOdd(decode(a), decode(b)), rounding);
  }

  @Override
  public long multiply(long a, long b, Rounding rounding) {
    return encode(decode(a) * decode(b), rounding);
  }

  @Override
  public long fma(long a, long b, long c, Rounding rounding) {
    return encode(Exact.addToOdd(decode(a) * decode(b), decode(c)), rounding);
  }

  @Override
  public long divide(long a, long b, Rounding rounding) {
    return encode(decode(a) / decode(b), rounding);
  }

  @Override
  public long squareRoot(long a, Rounding rounding) {
    return encode(Math.sqrt(decode(a)), rounding);
  }

  @Override
  public long signBit() {
    return sign;
  }

  @Override
  public long canonicalNaN() {
    return canonicalNaN;
  }

  @Override
  public double smallestNormal() {
    return Math.scalb(1.0, 1 - bias);
  }
}

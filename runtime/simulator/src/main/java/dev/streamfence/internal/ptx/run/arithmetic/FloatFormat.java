package dev.streamfence.internal.ptx.run.arithmetic;

import dev.streamfence.internal.ptx.syntax.ScalarType;

/**
 * A floating-point format: the encoding of its values in the low bits of a register, and its
 * arithmetic. Operations take and return register values; NaN results are the device's canonical
 * NaN.
 */
public interface FloatFormat {
  /** Decodes a value; a double can hold the values of every format here. */
  double decode(long bits);

  /** Rounds an exact or rounded-to-odd value into the format. */
  long encode(double odd, Rounding rounding);

  long add(long a, long b, Rounding rounding);

  long multiply(long a, long b, Rounding rounding);

  long fma(long a, long b, long c, Rounding rounding);

  long divide(long a, long b, Rounding rounding);

  long squareRoot(long a, Rounding rounding);

  /** Returns the bit that holds the sign. */
  long signBit();

  long canonicalNaN();

  /** Returns the smallest normal number. */
  double smallestNormal();

  /** Replaces a subnormal number by a zero of its sign. */
  default long flush(long bits) {
    double value = decode(bits);
    return Math.abs(value) < smallestNormal() ? bits & signBit() : bits;
  }

  default boolean isNaN(long bits) {
    return Double.isNaN(decode(bits));
  }

  /** Clamps to the range from 0 to 1; NaN becomes 0. */
  default long saturate(long bits) {
    double value = decode(bits);
    if (value > 0) {
      return value >= 1 ? encode(1, Rounding.NEAREST) : bits;
    }
    return 0;
  }

  /** Replaces negative values by zero; NaN stays. */
  default long rectify(long bits) {
    return isNaN(bits) ? canonicalNaN() : decode(bits) > 0 ? bits : 0;
  }

  /**
   * Returns the smaller or larger of two values; negative zero is less than positive zero.
   *
   * @param propagates whether a NaN makes the result NaN; otherwise the other value is the result
   */
  default long extremum(long a, long b, boolean smaller, boolean propagates) {
    double x = decode(a);
    double y = decode(b);
    if (Double.isNaN(x) || Double.isNaN(y)) {
      if (propagates || (Double.isNaN(x) && Double.isNaN(y))) {
        return canonicalNaN();
      }
      return Double.isNaN(x) ? b : a;
    }
    boolean first = Double.compare(x, y) <= 0;
    return first == smaller ? a : b;
  }

  /** Returns the format of a scalar type. */
  static FloatFormat of(ScalarType type) {
    return switch (type) {
      case F32 -> SinglePrecision.INSTANCE;
      case F64 -> DoublePrecision.INSTANCE;
      case F16, F16X2 -> SmallFloat.HALF;
      case BF16, BF16X2 -> SmallFloat.BRAIN;
      case TF32 -> SmallFloat.TENSOR;
      default -> throw new IllegalArgumentException(type + " is not a floating-point type");
    };
  }
}

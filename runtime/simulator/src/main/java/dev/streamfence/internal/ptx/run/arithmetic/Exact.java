package dev.streamfence.internal.ptx.run.arithmetic;

import java.math.BigDecimal;

/** Double arithmetic with its rounding errors. */
final class Exact {
  private Exact() {}

  /**
   * Adds, rounding to odd: an inexact sum has its last bit set. Rounding it again to a format with
   * at most 51 bits gives the same result as rounding the exact sum.
   */
  static double addToOdd(double a, double b) {
    double sum = a + b;
    if (Double.isInfinite(sum) || Double.isNaN(sum)) {
      return sum;
    }
    double part = sum - a;
    double error = (a - (sum - part)) + (b - part);
    long bits = Double.doubleToRawLongBits(sum);
    if (error == 0 || (bits & 1) != 0) {
      return sum;
    }
    return Double.longBitsToDouble((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }

  /** Returns the sign of {@code a + b} less a rounded result. */
  static int errorOfSum(double a, double b, double rounded) {
    return compare(new BigDecimal(a).add(new BigDecimal(b)), rounded);
  }

  /** Returns the sign of {@code a * b + c} less a rounded result. */
  static int errorOfFma(double a, double b, double c, double rounded) {
    return compare(new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c)), rounded);
  }

  /** Returns the sign of {@code a / b} less a rounded result. */
  static int errorOfQuotient(double a, double b, double rounded) {
    if (Double.isInfinite(rounded)) {
      return rounded > 0 ? -1 : 1;
    }
    BigDecimal back = new BigDecimal(rounded).multiply(new BigDecimal(b));
    return new BigDecimal(a).compareTo(back) * (b < 0 ? -1 : 1);
  }

  /** Returns the sign of the square root of {@code a} less a rounded result. */
  static int errorOfRoot(double a, double rounded) {
    BigDecimal root = new BigDecimal(rounded);
    return new BigDecimal(a).compareTo(root.multiply(root));
  }

  private static int compare(BigDecimal exact, double rounded) {
    if (Double.isInfinite(rounded)) {
      return rounded > 0 ? -1 : 1;
    }
    return exact.compareTo(new BigDecimal(rounded));
  }
}

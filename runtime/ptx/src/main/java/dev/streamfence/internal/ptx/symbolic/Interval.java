package dev.streamfence.internal.ptx.symbolic;

/**
 * Arithmetic on the ends of intervals of whole numbers. An end that exceeds 64 bits is the smallest
 * or the largest long, which stands for "no bound" and stays so. Stateless.
 */
public final class Interval {
  public static final long LEAST = Long.MIN_VALUE;
  public static final long MOST = Long.MAX_VALUE;

  private Interval() {}

  /** Adds two lower ends. */
  public static long addLow(long a, long b) {
    return a == LEAST || b == LEAST ? LEAST : add(a, b);
  }

  /** Adds two upper ends. */
  public static long addHigh(long a, long b) {
    return a == MOST || b == MOST ? MOST : add(a, b);
  }

  private static long add(long a, long b) {
    long sum = a + b;
    return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? LEAST : MOST) : sum;
  }

  /** Multiplies two ends; an end without bound times 0 is 0. */
  public static long multiply(long a, long b) {
    if (a == 0 || b == 0) {
      return 0;
    }
    boolean negative = a < 0 ^ b < 0;
    if (a == LEAST || a == MOST || b == LEAST || b == MOST) {
      return negative ? LEAST : MOST;
    }
    long product = a * b;
    return Math.multiplyHigh(a, b) != (product >> 63) ? (negative ? LEAST : MOST) : product;
  }

  /** Whether an end is a number. */
  public static boolean isBound(long end) {
    return end != LEAST && end != MOST;
  }
}

package dev.streamfence.corpus;

import java.util.Random;

/** Numbers that break things, in all pairings, and random ones; the same in every run. */
final class Inputs {
  private static final long[] EDGES = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    23,
    24,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x10000,
    0x7FFF_FFFFL,
    0x8000_0000L,
    0xFFFF_FFFFL,
    0x1_0000_0000L,
    0x5555_5555_5555L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -2,
    -3,
    -31,
    -128,
    -32768,
    0xDEAD_BEEFL,
    0x7FFF_FF80L
  };

  private static final double[] NUMBERS = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.5,
    2,
    3,
    7,
    10,
    -10,
    0.1,
    -0.1,
    1.0 / 3,
    1e-3,
    127.5,
    128,
    255.5,
    -128.5,
    32767.5,
    65504,
    65519.9,
    65520,
    65536,
    1e10,
    -1e10,
    2147483647,
    2147483648.0,
    -2147483648.0,
    -2147483649.0,
    4294967295.0,
    4294967296.0,
    9.2e18,
    9223372036854775808.0,
    -9223372036854775808.0,
    1.8446744073709552E19,
    3.4028234663852886E38,
    3.4028235e38,
    3.5e38,
    -3.5e38,
    1.17549435E-38,
    1.1e-38,
    1.4e-45,
    -1.4e-45,
    7e-46,
    5.9e-8,
    6.1e-5,
    3e-8,
    1e-20,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    Double.MIN_VALUE,
    -Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN,
    0x1.fffffep0,
    0x1.000002p0,
    0x1.000001p0,
    0x1.0000010000001p0,
    0x1.fffffffffffffp0
  };

  private final Random random;

  Inputs(long seed) {
    random = new Random(seed);
  }

  /** Returns edge cases for the first two of three arguments in turn, and random bits. */
  long[][] integers(int count) {
    long[][] columns = new long[3][count];
    for (int i = 0; i < count; i++) {
      columns[0][i] = pick(i);
      columns[1][i] = pick(i / EDGES.length);
      columns[2][i] = random.nextInt(3) == 0 ? EDGES[random.nextInt(EDGES.length)] : any();
    }
    return columns;
  }

  private long pick(int i) {
    return i < EDGES.length * EDGES.length ? EDGES[i % EDGES.length] : any();
  }

  /** Returns random bits, of random length. */
  private long any() {
    return random.nextLong() >> random.nextInt(64);
  }

  /** Returns numbers for three arguments: edge cases in all pairings, close ones, random ones. */
  double[][] numbers(int count) {
    double[][] columns = new double[3][count];
    int pairs = NUMBERS.length * NUMBERS.length;
    for (int i = 0; i < count; i++) {
      double a = i < pairs ? NUMBERS[i % NUMBERS.length] : number();
      double b = i < pairs ? NUMBERS[i / NUMBERS.length] : number();
      columns[0][i] = a;
      columns[1][i] = b;
      // Near minus the product, so that a fused sum cancels.
      columns[2][i] = random.nextBoolean() ? -(a * b) * (1 + random.nextInt(3) * 1e-7) : number();
    }
    return columns;
  }

  private double number() {
    return switch (random.nextInt(4)) {
      case 0 -> NUMBERS[random.nextInt(NUMBERS.length)];
      case 1 -> random.nextGaussian();
      case 2 -> Math.scalb(random.nextGaussian(), random.nextInt(280) - 140);
      default -> Math.scalb(random.nextGaussian(), random.nextInt(40) - 20);
    };
  }

  double between(double low, double high) {
    return low + (high - low) * random.nextDouble();
  }
}

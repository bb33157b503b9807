package dev.streamfence.examples.queries;

/** A random number for each row, which any thread computes without the others. */
final class RowHash {
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  private RowHash() {}

  /** The number of a row: equally distributed, and independent of that of other columns. */
  static long of(long seed, long column, long row) {
    return mixed(mixed(mixed(seed + GOLDEN_GAMMA) ^ column) + row * GOLDEN_GAMMA);
  }

  /** The finalizer of SplitMix64. */
  private static long mixed(long number) {
    long z = (number ^ number >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
    return z ^ z >>> 31;
  }
}

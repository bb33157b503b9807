package dev.streamfence.internal.memory;

/**
 * The sizes of blocks of the caching pool. Eight sizes lie between two powers of two, but none is
 * closer to the next than the alignment, and large ones are multiples of 2 MiB: a request gets at
 * most an eighth more than it needs, and at most 2 MiB.
 */
final class PoolSizes {
  /** The alignment of the driver's memory. */
  private static final int LOG_UNIT = 8;

  private static final int LOG_STEPS = 3;

  /** From here on, sizes are multiples of 2 MiB. */
  private static final int LOG_LARGE = 24;

  private static final long LARGE_UNIT = 2L << 20;
  private static final long LARGEST = Long.MAX_VALUE - LARGE_UNIT;

  private static final int SMALL_CLASSES = 8 * (1 + LOG_LARGE - LOG_UNIT - LOG_STEPS);
  private static final int LARGE_CLASSES = 144;

  /** Classes of sizes: each small size has one, and large ones share them. */
  static final int CLASSES = SMALL_CLASSES + LARGE_CLASSES;

  private PoolSizes() {}

  /** The least block size that holds a number of bytes, which is at least 1. */
  static long rounded(long bytes) {
    if (bytes > LARGEST) {
      return bytes; // no device has it
    }
    if (bytes > 1L << LOG_LARGE) {
      return (bytes + LARGE_UNIT - 1) / LARGE_UNIT * LARGE_UNIT;
    }
    long unit = 1L << Math.max(LOG_UNIT, log(bytes) - LOG_STEPS);
    return (bytes + unit - 1) / unit * unit;
  }

  /** The class of a block size. */
  static int classOf(long size) {
    if (size > 1L << LOG_LARGE) {
      return SMALL_CLASSES + (int) (size / LARGE_UNIT % LARGE_CLASSES);
    }
    int log = Math.max(log(size), LOG_UNIT + LOG_STEPS);
    return (log - LOG_UNIT - LOG_STEPS) * 8 + (int) ((size - 1) >> (log - LOG_STEPS));
  }

  /** The largest power of two below a size. */
  private static int log(long bytes) {
    return 63 - Long.numberOfLeadingZeros(Math.max(bytes - 1, 1));
  }
}

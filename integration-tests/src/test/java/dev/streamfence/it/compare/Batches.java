package dev.streamfence.it.compare;

import java.util.Arrays;

/** Medians of batches, which {@code compare.cpp} and {@code compare.py} take in the same way. */
final class Batches {
  /** How many operations a batch has. */
  static final int OPERATIONS = 200;

  private static final int WARM_UP = 20;
  private static final int BATCHES = 100;

  private Batches() {}

  /**
   * The host's time for one operation.
   *
   * @param batch {@link #OPERATIONS} operations
   * @param between waits for the device, outside of what is timed
   */
  static double nanosEach(Runnable batch, Runnable between) {
    return median(WARM_UP, BATCHES, batch, between) / OPERATIONS;
  }

  /** The time of an operation that is long enough to be timed alone. */
  static double nanos(int times, Runnable operation) {
    return median(1, times, operation, () -> {});
  }

  /** The time of an operation, with caches that have other things in them. */
  static double nanosAfter(Runnable between, Runnable operation) {
    return median(WARM_UP, BATCHES, operation, between);
  }

  /** How often a transfer is timed: less often if it takes long. */
  static int transfers(int mebibytes) {
    return Math.max(3, Math.min(100, 512 / mebibytes));
  }

  private static double median(int warmUp, int times, Runnable operation, Runnable between) {
    double[] nanos = new double[times];
    for (int i = -warmUp; i < times; i++) {
      long begun = System.nanoTime();
      operation.run();
      long ended = System.nanoTime();
      between.run();
      if (i >= 0) {
        nanos[i] = ended - begun;
      }
    }
    Arrays.sort(nanos);
    return nanos[times / 2];
  }
}

package dev.streamfence.examples.tpch;

import java.util.Arrays;
import java.util.function.Supplier;

/** Runs a query again and again. Confined to one thread at a time. */
final class QueryRepeats {
  private final int count;
  private final Stopwatch stopwatch;

  /**
   * Creates repeats of any query.
   *
   * @param count how many runs are timed, at least 1
   * @param stopwatch times them
   */
  QueryRepeats(int count, Stopwatch stopwatch) {
    this.count = count;
    this.stopwatch = stopwatch;
  }

  /**
   * Runs a query once to warm up, which loads its kernels and fills the pools of the runtime, and
   * then as often as it is timed.
   *
   * @param query returns its answer
   * @param expected the answer that every run should have
   */
  Result of(Supplier<?> query, Object expected) {
    int wrong = query.get().equals(expected) ? 0 : 1;
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      stopwatch.start();
      Object answer = query.get();
      nanos[i] = stopwatch.stop();
      wrong += answer.equals(expected) ? 0 : 1;
    }
    Arrays.sort(nanos);
    // The mean of the two in the middle; with an odd number, both are the same.
    return new Result((nanos[(count - 1) / 2] + nanos[count / 2]) / 2, wrong);
  }

  /**
   * What the repeats gave. Immutable.
   *
   * @param medianNanos the median of the times
   * @param wrong how many runs had another answer than expected
   */
  record Result(long medianNanos, int wrong) {}
}

package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.Stopwatch;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * An answer of a query and how long its runs took. Immutable.
 *
 * @param answer of the first run
 * @param medianNanos the median of the timed runs
 */
record TimedAnswer(QueryAnswer answer, long medianNanos) {

  /**
   * Runs a query once to warm up, and then as often as it is timed.
   *
   * @param count how many runs are timed, at least 1
   * @throws IllegalStateException if a later run has another answer than the first
   */
  static TimedAnswer of(Supplier<QueryAnswer> query, int count, Stopwatch stopwatch) {
    QueryAnswer first = query.get();
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      stopwatch.start();
      QueryAnswer answer = query.get();
      nanos[i] = stopwatch.stop();
      answer
          .differenceFrom(first)
          .ifPresent(
              difference -> {
                throw new IllegalStateException("a repeated run differs: " + difference);
              });
    }
    Arrays.sort(nanos);
    // The mean of the two in the middle; with an odd number, both are the same.
    return new TimedAnswer(first, (nanos[(count - 1) / 2] + nanos[count / 2]) / 2);
  }
}

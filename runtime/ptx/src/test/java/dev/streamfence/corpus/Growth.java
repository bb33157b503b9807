package dev.streamfence.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.IntFunction;

/**
 * Compares the times for inputs of different sizes. It measures processor time, which other
 * programs on the machine hardly lengthen, and a ratio, which does not depend on the machine's
 * speed.
 */
public final class Growth {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int TIMES = 8;

  /** A collection of garbage or a compilation may fall into one measurement, hardly into three. */
  private static final int MEASUREMENTS = 3;

  private Growth() {}

  /**
   * Requires that work takes less than three times eight times as long on an input of eight times
   * the size; in proportion to the square it would take 64 times as long.
   *
   * @param work for a size, what is measured: its input is made before
   */
  public static void requireProportional(int size, IntFunction<Runnable> work) {
    long small = 0;
    long large = 0;
    for (int i = 0; i < MEASUREMENTS && large >= 3 * TIMES * small; i++) {
      small = leastOfThree(work.apply(size));
      large = leastOfThree(work.apply(TIMES * size));
    }
    assertThat(large)
        .as("nanoseconds for %s times the input, which alone takes %s", TIMES, small)
        .isLessThan(3 * TIMES * small);
  }

  private static long leastOfThree(Runnable work) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      long before = THREADS.getCurrentThreadCpuTime();
      work.run();
      least = Math.min(least, THREADS.getCurrentThreadCpuTime() - before);
    }
    return least;
  }
}

package dev.streamfence.internal.device;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The bytes that work allocates on the Java heap once it is warm. */
public final class AllocatedBytes {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private AllocatedBytes() {}

  /**
   * The bytes that the calling thread allocates in the best of five rounds, after a warm-up that is
   * long enough for a compiler on a busy machine: the work allocates in every round, and the
   * compiler only in some.
   */
  public static long leastOfFiveRounds(Runnable work) {
    for (int round = 0; round < 5; round++) {
      work.run();
    }
    THREADS.getCurrentThreadAllocatedBytes();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      work.run();
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }
}

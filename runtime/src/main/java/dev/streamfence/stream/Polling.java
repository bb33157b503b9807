package dev.streamfence.stream;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Asks again and again, with pauses that grow: the driver's own waits know neither a timeout nor an
 * interrupt.
 */
public final class Polling {
  /** A short kernel is over by then. */
  public static final long SHORTEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  /** What an answer may come late. */
  public static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private Polling() {}

  /**
   * Asks until the answer is yes or the deadline has passed; at least once.
   *
   * @return the last answer
   * @throws InterruptedException if the thread is interrupted before or between two questions
   */
  public static boolean until(Deadline deadline, BooleanSupplier question)
      throws InterruptedException {
    for (long pause = SHORTEST_PAUSE_NANOS; ; pause = longer(pause)) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (question.getAsBoolean()) {
        return true;
      }
      long remaining = deadline.remainingNanos();
      if (remaining == 0) {
        return false;
      }
      LockSupport.parkNanos(Math.min(pause, remaining));
    }
  }

  /** The pause after one in which nothing has changed. */
  public static long longer(long pauseNanos) {
    return Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
  }
}

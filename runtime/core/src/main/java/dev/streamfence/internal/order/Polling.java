package dev.streamfence.internal.order;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls with growing pauses: the driver's own waits support neither timeouts nor interrupts. */
public final class Polling {
  /** The first pause: a short kernel is done by then. */
  public static final long SHORTEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  /** The longest pause, by which an answer may be late. */
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

  /** Returns the pause that follows one in which nothing has changed. */
  public static long longer(long pauseNanos) {
    return Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
  }
}

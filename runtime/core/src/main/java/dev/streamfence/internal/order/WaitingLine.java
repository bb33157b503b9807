package dev.streamfence.internal.order;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that wait for what other threads give back, first come, first served. Thread-safe.
 *
 * <p>Only the first in the line tries; the others are woken when they have become the first. An
 * attempt is repeated at each {@link #signal}, and after a while without one, for whatever comes
 * back without a signal.
 */
public final class WaitingLine {
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Deque<Thread> line = new ArrayDeque<>();
  private volatile int length;
  private long signals;

  /**
   * Waits for an attempt to succeed.
   *
   * @param attempt called without a lock; returns null if it has to be repeated. Its exceptions end
   *     the wait
   * @return null if the deadline has passed
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public <T> @Nullable T await(Supplier<@Nullable T> attempt, Deadline deadline)
      throws InterruptedException {
    Thread self = Thread.currentThread();
    enter(self);
    try {
      while (true) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        long seen = signals();
        if (isFirst(self)) {
          T result = attempt.get();
          if (result != null) {
            return result;
          }
        }
        if (deadline.hasPassed()) {
          return null;
        }
        pause(seen, Math.min(deadline.remainingNanos(), LONGEST_PAUSE_NANOS));
      }
    } finally {
      leave(self);
    }
  }

  /** Something was given back. Costs next to nothing if no thread waits. */
  public void signal() {
    if (length > 0) {
      wake();
    }
  }

  private synchronized void wake() {
    signals++;
    notifyAll();
  }

  private synchronized void enter(Thread self) {
    line.addLast(self);
    length = line.size();
  }

  private synchronized void leave(Thread self) {
    line.remove(self);
    length = line.size();
    signals++;
    notifyAll();
  }

  private synchronized boolean isFirst(Thread self) {
    return line.peekFirst() == self;
  }

  private synchronized long signals() {
    return signals;
  }

  private synchronized void pause(long seen, long nanos) throws InterruptedException {
    if (signals == seen && nanos > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
  }
}

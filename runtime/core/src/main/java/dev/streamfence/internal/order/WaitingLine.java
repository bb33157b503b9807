package dev.streamfence.internal.order;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that wait for what other threads give back, first come, first served. Thread-safe: a lock
 * guards the line, and is not held while a thread tries.
 *
 * <p>Only the first in the line tries: at each {@link #signal}, and after a while without one, for
 * whatever comes back without a signal. The others sleep until they are the first, or their time is
 * up.
 */
public final class WaitingLine {
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ReentrantLock lock = new ReentrantLock();

  /** Where each thread sleeps. Guarded by lock. */
  private final Set<Condition> line = new LinkedHashSet<>();

  /** Written under lock. */
  private volatile int length;

  /** How often the first thread was told to try. Guarded by lock. */
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
    Condition place = lock.newCondition();
    enter(place);
    try {
      while (true) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        long seen = signals();
        if (isFirst(place)) {
          T result = attempt.get();
          if (result != null) {
            return result;
          }
        }
        if (deadline.hasPassed()) {
          return null;
        }
        pause(place, seen, deadline);
      }
    } finally {
      leave(place);
    }
  }

  /** Something was given back. Costs next to nothing if no thread waits. */
  public void signal() {
    if (length > 0) {
      lock.lock();
      try {
        wakeFirst();
      } finally {
        lock.unlock();
      }
    }
  }

  private void enter(Condition place) {
    lock.lock();
    try {
      line.add(place);
      length = line.size();
    } finally {
      lock.unlock();
    }
  }

  /** Leaves the line; the thread behind the first is the next to try. */
  private void leave(Condition place) {
    lock.lock();
    try {
      boolean wasFirst = isFirst(place);
      line.remove(place);
      length = line.size();
      if (wasFirst) {
        wakeFirst();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Held: lock. */
  private void wakeFirst() {
    signals++;
    for (Condition first : line) {
      first.signal();
      return;
    }
  }

  private boolean isFirst(Condition place) {
    lock.lock();
    try {
      return !line.isEmpty() && line.iterator().next() == place;
    } finally {
      lock.unlock();
    }
  }

  private long signals() {
    lock.lock();
    try {
      return signals;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // The caller loops: it looks at what has changed.
  private void pause(Condition place, long seen, Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      long nanos = deadline.remainingNanos();
      if (isFirst(place)) {
        nanos = Math.min(nanos, LONGEST_PAUSE_NANOS);
      }
      if (signals == seen && nanos > 0) {
        long unused = place.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
  }
}

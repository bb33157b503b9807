package dev.streamfence.internal.order;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that wait for what other threads give back, first come, first served. Thread-safe: a lock
 * guards the line, and is not held while a thread tries. Several lines may wait for the same: each
 * has a first then.
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

  /** Those of the lines for the same in which a thread waits. Changed under the line's lock. */
  private final Set<WaitingLine> waiting;

  /** How often the first thread was told to try. Guarded by lock. */
  private long signals;

  /** Creates an empty line. */
  public WaitingLine() {
    this(ConcurrentHashMap.newKeySet());
  }

  private WaitingLine(Set<WaitingLine> waiting) {
    this.waiting = waiting;
  }

  /** Creates another line for the same: a signal of either reaches both. */
  public WaitingLine another() {
    return new WaitingLine(waiting);
  }

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
    if (!waiting.isEmpty()) {
      waiting.forEach(WaitingLine::wakeFirst);
    }
  }

  private void enter(Condition place) {
    lock.lock();
    try {
      // First, since a place in the line that no thread waits at would be the first for ever.
      waiting.add(this);
      line.add(place);
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
      if (line.isEmpty()) {
        waiting.remove(this);
      } else if (wasFirst) {
        wakeFirst();
      }
    } finally {
      lock.unlock();
    }
  }

  private void wakeFirst() {
    lock.lock();
    try {
      if (!line.isEmpty()) {
        signals++;
        line.iterator().next().signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isFirst(Condition place) {
    lock.lock();
    try {
      return line.iterator().next() == place;
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

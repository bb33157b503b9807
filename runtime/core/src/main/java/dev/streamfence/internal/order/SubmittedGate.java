package dev.streamfence.internal.order;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The highest submitted ticket of a stream, and what waits for a higher one: threads of the host,
 * and states that are being closed. Written by the holder of the submission lock, read by any
 * thread. Thread-safe.
 */
final class SubmittedGate {
  /** Spins of a waiting thread before it parks: some microseconds. */
  private static final int SPINS = 1_000;

  private final int spins;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rose = lock.newCondition();

  /** How many threads and states wait. */
  private final AtomicInteger waiting = new AtomicInteger();

  private volatile long submitted;

  /** The first of the states that are closed with the next ticket. Guarded by lock. */
  private @Nullable HazardState closing;

  SubmittedGate() {
    this(SPINS);
  }

  /** A gate whose waiters spin that many times before they park. */
  SubmittedGate(int spins) {
    this.spins = spins;
  }

  long submitted() {
    return submitted;
  }

  /** Publishes a ticket as submitted, and wakes the threads that wait for it. */
  void publish(long ticket) {
    submitted = ticket;
    if (waiting.get() > 0) {
      lock.lock();
      try {
        rose.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Notes that a state goes on closing once a higher ticket is submitted, see {@link #takeClosing}.
   *
   * @return false if the ticket is submitted
   */
  boolean addClosing(HazardState state, long ticket) {
    if (submitted >= ticket) {
      return false;
    }
    lock.lock();
    try {
      // As in await().
      waiting.incrementAndGet();
      if (submitted >= ticket) {
        waiting.decrementAndGet();
        return false;
      }
      state.linkClosing(closing);
      closing = state;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Takes the states that go on closing: the first of them, in the order of closing, or null. */
  @Nullable HazardState takeClosing() {
    if (waiting.get() == 0) {
      return null;
    }
    lock.lock();
    try {
      HazardState first = null;
      while (closing != null) {
        HazardState state = closing;
        closing = state.nextClosing();
        state.linkClosing(first);
        first = state;
        waiting.decrementAndGet();
      }
      return first;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a ticket is submitted. */
  void await(long ticket) {
    for (int i = 0; i < spins; i++) {
      if (submitted >= ticket) {
        return;
      }
      Thread.onSpinWait();
    }
    lock.lock();
    try {
      // This is written before `submitted` is read again, and publish() writes `submitted` before
      // it reads this: one of the two sees the other.
      waiting.incrementAndGet();
      while (submitted < ticket) {
        rose.awaitUninterruptibly();
      }
      waiting.decrementAndGet();
    } finally {
      lock.unlock();
    }
  }
}

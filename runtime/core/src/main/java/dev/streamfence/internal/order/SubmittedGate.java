package dev.streamfence.internal.order;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The highest submitted ticket of a stream, and the host threads that wait for a higher one.
 * Written by the holder of the submission lock, read by any thread. Thread-safe.
 */
final class SubmittedGate {
  /** Spins of a waiting thread before it parks: some microseconds. */
  private static final int SPINS = 1_000;

  private final int spins;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rose = lock.newCondition();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile long submitted;

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

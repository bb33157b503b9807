package dev.streamfence.internal.order;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps uses of host memory and accesses by the host apart: while the host reads, nothing writes,
 * and while it writes, nothing uses the memory. Thread-safe; an access begins under the lock of the
 * {@link HazardState} that has it, so that none begins while a use is registered.
 */
final class HostGate {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  /** Accesses by the host that are running, or wait for the device. */
  private int reads;

  private int writes;

  /** Begins an access. */
  void begin(boolean writing) {
    count(writing, 1);
  }

  /** Ends an access. */
  void end(boolean writing) {
    count(writing, -1);
  }

  private void count(boolean writing, int change) {
    lock.lock();
    try {
      if (writing) {
        writes += change;
      } else {
        reads += change;
      }
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a use conflicts with an access that has begun. */
  boolean conflictsWith(boolean writing) {
    lock.lock();
    try {
      return writes > 0 || (writing && reads > 0);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no access conflicts with a use. */
  void await(boolean writing) {
    lock.lock();
    try {
      while (conflictsWith(writing)) {
        ended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}

package dev.streamfence.internal.order;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Keeps uses of host memory and accesses by the host apart: while the host reads, nothing writes,
 * and while it writes, nothing uses the memory. Guarded by the lock of the {@link HazardState} that
 * has it.
 */
final class HostGate {
  private final Condition ended;

  /** Accesses by the host that are running, or wait for the device. */
  private int reads;

  private int writes;

  HostGate(Lock lock) {
    ended = lock.newCondition();
  }

  /** Begins an access. */
  void begin(boolean writing) {
    count(writing, 1);
  }

  /** Ends an access. */
  void end(boolean writing) {
    count(writing, -1);
    ended.signalAll();
  }

  private void count(boolean writing, int change) {
    if (writing) {
      writes += change;
    } else {
      reads += change;
    }
  }

  /** Whether a use conflicts with an access that has begun. */
  boolean conflictsWith(boolean writing) {
    return writes > 0 || (writing && reads > 0);
  }

  /** Waits until no access conflicts with a use; gives the lock up meanwhile. */
  void await(boolean writing) {
    while (conflictsWith(writing)) {
      ended.awaitUninterruptibly();
    }
  }
}

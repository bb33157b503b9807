package dev.streamfence.internal.simulator;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The kernel that a thread runs at this moment, for the threads that wait for it: interrupting one
 * of them ends a long kernel, as interrupting the thread that runs it does. Thread-safe.
 */
final class RunningKernel {
  private static final long SHORTEST_PAUSE_NANOS = 20_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  /**
   * The thread that runs it, written by that thread within the driver's lock; null if none does. A
   * field, since a call to end the run could overflow the stack, and others would wait without end.
   */
  volatile @Nullable Thread thread;

  private volatile @Nullable Thread interrupted;

  /**
   * Waits until no other thread runs a kernel, or until the calling thread is interrupted. It stays
   * interrupted, and may then wait for the driver's lock: the kernel ends soon.
   */
  void await() {
    Thread self = Thread.currentThread();
    long pause = SHORTEST_PAUSE_NANOS;
    while (isOther(self, thread)) {
      if (self.isInterrupted()) {
        interrupted = self;
        return;
      }
      LockSupport.parkNanos(this, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
  }

  private static boolean isOther(Thread self, @Nullable Thread runs) {
    return runs != null && runs != self;
  }

  /** Notes that the calling thread waits no longer. */
  void stopWaiting() {
    if (interrupted == Thread.currentThread()) {
      interrupted = null;
    }
  }

  /** A thread that was interrupted while it waits; null if there is none. */
  @Nullable Thread interrupted() {
    return interrupted;
  }
}

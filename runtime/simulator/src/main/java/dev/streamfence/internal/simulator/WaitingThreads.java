package dev.streamfence.internal.simulator;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The threads that wait for the driver's lock, and so for the kernel that another thread runs:
 * interrupting one of them ends a long kernel, as interrupting the thread that runs it does. A
 * thread is added before it waits, so that no moment is missed. Thread-safe.
 */
final class WaitingThreads {
  private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

  /** Notes that the calling thread is about to wait. */
  void add() {
    waiting.add(Thread.currentThread());
  }

  /** Notes that the calling thread waits no longer. */
  void remove() {
    waiting.remove(Thread.currentThread());
  }

  /** A thread that was interrupted while it waits; null if there is none. */
  @Nullable Thread interrupted() {
    for (Thread each : waiting) {
      if (each.isInterrupted()) {
        return each;
      }
    }
    return null;
  }
}

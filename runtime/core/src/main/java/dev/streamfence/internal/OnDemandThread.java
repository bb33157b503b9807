package dev.streamfence.internal;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A thread that starts when it is needed, ends when it is not, and may do so again and again.
 * Thread-safe.
 *
 * <p>A caller first makes visible that it needs the thread and then looks whether it runs. The
 * thread first says that it has ended and then looks whether it is needed: one of the two sees the
 * other.
 */
final class OnDemandThread {
  private final ThreadFactory threads;
  private final BooleanSupplier isNeeded;
  private final BooleanSupplier turn;
  private final AtomicBoolean isRunning = new AtomicBoolean();

  /**
   * Starts nothing yet.
   *
   * @param turn one turn of the thread, which returns whether another one follows, and throws
   *     nothing
   */
  OnDemandThread(ThreadFactory threads, BooleanSupplier isNeeded, BooleanSupplier turn) {
    this.threads = threads;
    this.isNeeded = isNeeded;
    this.turn = turn;
  }

  /**
   * Starts the thread unless it runs. If that fails, for example with an {@link OutOfMemoryError}
   * because the system has no more threads, the next call tries again.
   */
  void ensure() {
    if (isRunning.get() || !isRunning.compareAndSet(false, true)) {
      return;
    }
    boolean isStarted = false;
    try {
      threads.newThread(this::run).start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        isRunning.set(false);
      }
    }
  }

  private void run() {
    do {
      while (turn.getAsBoolean()) {
        // The next one.
      }
      isRunning.set(false);
    } while (isNeeded.getAsBoolean() && isRunning.compareAndSet(false, true));
  }
}

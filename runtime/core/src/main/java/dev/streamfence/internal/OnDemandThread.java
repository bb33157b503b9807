package dev.streamfence.internal;

import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/**
 * A thread that starts when it is needed, ends when it is not, and may do so again and again.
 * Thread-safe.
 *
 * <p>A caller first makes visible that it needs the thread and then looks whether it runs. The
 * thread first says that it does not run and then looks whether it is needed: one of the two sees
 * the other.
 */
final class OnDemandThread {
  private final ThreadFactory threads;
  private final BooleanSupplier isNeeded;
  private final BooleanSupplier turn;

  /** Whether it takes turns, after which it looks whether it is needed. Set by the thread. */
  private volatile boolean isRunning;

  /** Whether it has been started and has not decided to end. Guarded by this. */
  private boolean isStarted;

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
    if (!isRunning) {
      start();
    }
  }

  /** Callers wait for each other: one that needs a thread must know whether it has started. */
  private synchronized void start() {
    if (!isStarted) {
      threads.newThread(this::run).start();
      isStarted = true;
    }
  }

  private void run() {
    do {
      isRunning = true;
      while (turn.getAsBoolean()) {
        // The next one.
      }
      isRunning = false;
    } while (!ends());
  }

  private synchronized boolean ends() {
    isStarted = isNeeded.getAsBoolean();
    return !isStarted;
  }
}

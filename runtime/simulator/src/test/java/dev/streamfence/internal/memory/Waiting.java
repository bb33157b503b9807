package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;

/** Threads that have come to where they wait. */
public final class Waiting {
  private Waiting() {}

  /** Runs something in a thread of its own, until it has begun to wait. */
  public static Thread thread(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    await(thread);
    return thread;
  }

  /** Returns once a thread waits, with or without a timeout. */
  public static void await(Thread thread) {
    Thread.State state = thread.getState();
    while (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING) {
      assertThat(state).isNotEqualTo(Thread.State.TERMINATED);
      Thread.onSpinWait();
      state = thread.getState();
    }
  }

  public static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

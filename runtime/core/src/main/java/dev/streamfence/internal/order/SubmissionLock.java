package dev.streamfence.internal.order;

import dev.streamfence.internal.jfr.FlightEvents;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.BooleanSupplier;

/**
 * The lock of one stream: its holder puts the next work on the stream. Not reentrant. Unlike a
 * {@link java.util.concurrent.locks.ReentrantLock} it can be taken over from a thread that will
 * never release it. Thread-safe.
 */
final class SubmissionLock extends AbstractQueuedSynchronizer {
  private static final long serialVersionUID = 1L;

  private static final int FREE = 0;
  private static final int HELD = 1;

  /** Another thread is trying to take it over; meanwhile no thread counts as its holder. */
  private static final int CONTESTED = 2;

  /** Takes the lock. Waits uninterruptibly. */
  void lock() {
    if (!tryAcquire(1)) {
      Object event = FlightEvents.beginLockWait();
      acquire(1);
      FlightEvents.endWait(event);
    }
  }

  /**
   * Takes the lock unless the deadline passes first.
   *
   * @return whether it was taken
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  boolean lock(Deadline deadline) throws InterruptedException {
    if (!Thread.currentThread().isInterrupted() && tryAcquire(1)) {
      return true;
    }
    Object event = FlightEvents.beginLockWait();
    boolean isTaken = tryAcquireNanos(1, deadline.remainingNanos());
    FlightEvents.endWait(event);
    return isTaken;
  }

  /** Takes the lock if no thread holds it. */
  boolean tryLock() {
    return tryAcquire(1);
  }

  /** Releases the calling thread's lock, and wakes one waiting thread. */
  void unlock() {
    release(1);
  }

  boolean isHeldByCurrentThread() {
    return getExclusiveOwnerThread() == Thread.currentThread() && getState() == HELD;
  }

  /**
   * Takes the lock over from a thread that will not release it. That thread does not count as the
   * holder while {@code isAway} runs, nor after a takeover.
   *
   * @param isAway whether that thread has ended, or is running no method of the runtime; if it
   *     calls one later, it finds that it no longer holds the lock
   * @return whether that thread held the lock and was away
   */
  boolean takeOver(Thread holder, BooleanSupplier isAway) {
    if (!compareAndSetState(HELD, CONTESTED)) {
      return false;
    }
    boolean taken = false;
    try {
      taken = getExclusiveOwnerThread() == holder && isAway.getAsBoolean();
    } finally {
      if (taken) {
        setExclusiveOwnerThread(Thread.currentThread());
      }
      setState(HELD);
    }
    return taken;
  }

  @Override
  protected boolean tryAcquire(int ignored) {
    if (!compareAndSetState(FREE, HELD)) {
      return false;
    }
    setExclusiveOwnerThread(Thread.currentThread());
    return true;
  }

  @Override
  protected boolean tryRelease(int ignored) {
    if (getExclusiveOwnerThread() != Thread.currentThread()) {
      throw new IllegalMonitorStateException("the submission lock is another thread's");
    }
    setExclusiveOwnerThread(null);
    while (!compareAndSetState(HELD, FREE)) {
      // Contested for a moment: the other thread finds no owner, and gives up.
      Thread.onSpinWait();
    }
    return true;
  }
}

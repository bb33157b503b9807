package dev.streamfence.stream;

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

  /** Another thread is about to take it over; no thread counts as its holder meanwhile. */
  private static final int CONTESTED = 2;

  /** Takes the lock; waits without reacting to an interrupt. */
  void lock() {
    acquire(1);
  }

  /**
   * Takes the lock unless the deadline passes first.
   *
   * @return whether it was taken
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  boolean lock(Deadline deadline) throws InterruptedException {
    return tryAcquireNanos(1, deadline.remainingNanos());
  }

  /** Takes the lock if no thread holds it. */
  boolean tryLock() {
    return tryAcquire(1);
  }

  /** Releases the lock of the calling thread, and wakes one that waits. */
  void unlock() {
    release(1);
  }

  boolean isHeldByCurrentThread() {
    return getExclusiveOwnerThread() == Thread.currentThread() && getState() == HELD;
  }

  /**
   * Makes the calling thread the holder in the place of one that will not release the lock. From
   * the moment at which {@code isAway} is asked, that thread does not count as the holder.
   *
   * @param isAway whether that thread has ended, or carries out no method of the runtime; whatever
   *     it does later then finds that the lock is not its own
   * @return whether the lock was that thread's, and it was away
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
      // Contested for a moment: the other thread finds no owner, and lets go.
      Thread.onSpinWait();
    }
    return true;
  }

  @Override
  protected boolean isHeldExclusively() {
    return isHeldByCurrentThread();
  }
}

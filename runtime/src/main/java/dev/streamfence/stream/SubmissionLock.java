package dev.streamfence.stream;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one stream: whoever holds it puts the next work on the stream. Not reentrant. Unlike
 * a {@link java.util.concurrent.locks.ReentrantLock} it can be taken over from a thread that will
 * never release it. Thread-safe.
 */
final class SubmissionLock extends AbstractQueuedSynchronizer {
  private static final long serialVersionUID = 1L;

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
    return getExclusiveOwnerThread() == Thread.currentThread();
  }

  /** The thread that holds it; a snapshot that may be out of date. */
  @Nullable Thread holder() {
    return getState() == 0 ? null : getExclusiveOwnerThread();
  }

  /**
   * Makes the calling thread the holder in the place of one that has ended, or that has left the
   * runtime without releasing the lock and finds itself refused when it comes back.
   */
  void takeOver() {
    setExclusiveOwnerThread(Thread.currentThread());
  }

  @Override
  protected boolean tryAcquire(int ignored) {
    if (!compareAndSetState(0, 1)) {
      return false;
    }
    setExclusiveOwnerThread(Thread.currentThread());
    return true;
  }

  @Override
  protected boolean tryRelease(int ignored) {
    if (!isHeldByCurrentThread()) {
      throw new IllegalMonitorStateException("the submission lock is another thread's");
    }
    setExclusiveOwnerThread(null);
    setState(0);
    return true;
  }

  @Override
  protected boolean isHeldExclusively() {
    return isHeldByCurrentThread();
  }
}

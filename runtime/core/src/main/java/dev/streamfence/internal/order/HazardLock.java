package dev.streamfence.internal.order;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one hazard state, held for some tens of nanoseconds and never across a call of the
 * driver or of other code. Not reentrant.
 *
 * <p>One atomic operation takes it, and a store gives it back: a thread that has to wait spins,
 * then yields, then sleeps for some microseconds, and needs no call from the holder. Streams that
 * only read do not keep each other out, once they have {@linkplain #MEETINGS met often enough}:
 * each then writes to a {@link SharedRead} of its own, and a thread that takes the lock for itself
 * waits for all of those (Hsieh and Weihl, "Scalable Reader-Writer Locks for Parallel Systems",
 * 1992). Both write first and then read what the other has written: one of the two sees the other.
 */
abstract class HazardLock {
  private static final AtomicIntegerFieldUpdater<HazardLock> HELD =
      AtomicIntegerFieldUpdater.newUpdater(HazardLock.class, "held");

  /** After this many waits of readers, each stream gets a place of its own. */
  private static final int MEETINGS = 8;

  private static final int SPINS = 50;
  private static final int YIELDS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private volatile int held;

  /** By the index of the stream; null while readers take turns. Written by the holder. */
  private volatile @Nullable SharedRead @Nullable [] sharedReads;

  /** How many readers had to wait. Guarded by the lock. */
  private int meetings;

  /** Takes the lock for itself: no other thread holds it, and no stream reads. */
  final void lock() {
    take();
  }

  /**
   * Takes the lock for itself, and moves the reads of streams with places of their own to the
   * history.
   *
   * @return whether it had to wait for another holder
   */
  private boolean take() {
    boolean isMeeting = false;
    for (int turn = 0; !HELD.compareAndSet(this, 0, 1); turn++) {
      isMeeting = true;
      pause(turn);
    }
    SharedRead[] reads = sharedReads;
    if (reads != null) {
      try {
        takeOverReads(reads);
      } catch (Error e) {
        // Such as a full stack: the caller does not know that it holds the lock.
        unlock();
        throw e;
      }
    }
    return isMeeting;
  }

  /** Gives the lock back. */
  final void unlock() {
    HELD.lazySet(this, 0);
  }

  /**
   * Takes the lock for a use that only reads.
   *
   * @return what to register the use with, and to give back; null if the lock is held like after
   *     {@link #lock}
   */
  final @Nullable SharedRead lockToRead(Timeline timeline) {
    SharedRead[] reads = sharedReads;
    SharedRead own = reads == null ? null : reads[timeline.index()];
    if (own != null) {
      take(own);
      return own;
    }
    boolean isMeeting = take();
    if ((isMeeting || sharedReads != null) && isShareable()) {
      meet(timeline);
    }
    return null;
  }

  /** Takes a stream's share of the lock. */
  private void take(SharedRead own) {
    own.begin();
    while (held != 0) {
      // The holder may be waiting for this share.
      own.end();
      for (int turn = 0; held != 0; turn++) {
        pause(turn);
      }
      own.begin();
    }
  }

  /** Gives the stream a place of its own, once readers have met often. Held: the lock. */
  private void meet(Timeline timeline) {
    if (++meetings >= MEETINGS) {
      try {
        share(timeline);
      } catch (OutOfMemoryError | StackOverflowError e) {
        // Readers go on taking turns.
      }
    }
  }

  /** Gives the stream a place of its own for its reads. Held: the lock. */
  final void share(Timeline timeline) {
    SharedRead[] reads = sharedReads;
    if (reads == null) {
      int streams = timeline.pool().timelines();
      history().makeRoomFor(streams);
      reads = new SharedRead[streams];
      sharedReads = reads;
    }
    reads[timeline.index()] = new SharedRead(timeline);
  }

  /** Waits for the streams that read, and adds their reads to the history. Held: the lock. */
  private void takeOverReads(@Nullable SharedRead[] reads) {
    for (SharedRead read : reads) {
      if (read != null) {
        for (int turn = 0; read.isHeld(); turn++) {
          pause(turn);
        }
        read.moveTo(history());
      }
    }
  }

  /** Lets the holder go on, which the system may have taken off its processor. */
  @SuppressWarnings("ThreadPriorityCheck")
  private static void pause(int turn) {
    if (turn < SPINS) {
      Thread.onSpinWait();
    } else if (turn < SPINS + YIELDS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Whether streams may read at the same time. Held: the lock. */
  abstract boolean isShareable();

  /** The uses so far. Held: the lock. */
  abstract UseHistory history();
}

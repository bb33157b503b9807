package dev.streamfence.internal.order;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * One stream's place in a {@link HazardLock}: its share of the lock, and its latest read since the
 * lock was last held by one thread for itself. Written by the thread that holds the stream's
 * submission lock; read and cleared by the holder of the hazard lock while {@link #isHeld} is
 * false.
 */
final class SharedRead {
  private static final AtomicIntegerFieldUpdater<SharedRead> HELD =
      AtomicIntegerFieldUpdater.newUpdater(SharedRead.class, "held");

  /** Keeps the places of two streams in separate cache lines, also where lines come in pairs. */
  @SuppressWarnings({"unused", "UnusedVariable"})
  private long pad1, pad2, pad3, pad4, pad5, pad6, pad7, pad8, pad9, pad10, pad11, pad12, pad13;

  private final Timeline timeline;
  private volatile int held;
  private long ticket;

  SharedRead(Timeline timeline) {
    this.timeline = timeline;
  }

  /** Takes the share; the caller then looks whether the lock is held. */
  void begin() {
    held = 1;
  }

  /** Registers a read. Held: the share. */
  void register(long readTicket) {
    ticket = readTicket;
  }

  /** Gives the share back. */
  void end() {
    HELD.lazySet(this, 0);
  }

  /** Whether the stream is reading. */
  boolean isHeld() {
    return held != 0;
  }

  /** Adds the read to a history, which has room for it. Held: the hazard lock. */
  void moveTo(UseHistory history) {
    if (ticket > 0) {
      history.add(timeline, ticket, false);
      ticket = 0;
    }
  }
}

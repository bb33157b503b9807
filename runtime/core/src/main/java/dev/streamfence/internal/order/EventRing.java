package dev.streamfence.internal.order;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The events of one stream: a fixed ring, created at its first use, whose events are reused in
 * turn. Each slot has the highest ticket of each timeline that its event covers: of the stream's
 * own, and of those that it had waited for by then.
 *
 * <p>Thread-safe. A recording thread holds {@link #recorder} across the driver call. {@code this}
 * guards the slots and is never held across one, so a look-up does not wait for a driver that
 * blocks. A waiter may pick an event that is recorded again before the wait is queued: it then
 * waits for later work of the same stream, which covers more.
 */
final class EventRing {
  /**
   * Tickets of one stream that another stream can tell apart if each has an event; older ones are
   * covered by a later event.
   */
  private static final int CAPACITY = 32;

  /** Tickets from one event to the next, if nothing has asked for one for so many tickets. */
  private static final int SPACING = 4;

  private final CudaDriver driver;
  private final StreamSlot stream;
  private final int own;
  private final ReentrantLock recorder = new ReentrantLock();
  private final long[] clock;
  private final EventHandle[] events = new EventHandle[CAPACITY];

  /**
   * For each event, the ticket of each timeline that it covers; 0 for its own while it has none.
   */
  private final long[][] clocks;

  private int created;
  private int next;

  // Racy, benign: these two only save events. The highest ticket when an event was last asked for,
  // and the ticket of the latest event.
  private volatile long askedAt;
  private volatile long recordedAt;

  /**
   * Creates the ring of a stream.
   *
   * @param own the index of its timeline
   * @param timelines how many there are
   */
  EventRing(CudaDriver driver, StreamSlot stream, int own, int timelines) {
    this.driver = driver;
    this.stream = stream;
    this.own = own;
    this.clock = new long[timelines];
    this.clocks = new long[CAPACITY][timelines];
  }

  /** How far this stream has waited for the timeline with the given index. */
  synchronized long waitedFor(int timeline) {
    return clock[timeline];
  }

  /**
   * How far this stream had waited for a timeline when the event that covers {@code ticket} was, or
   * will be, recorded.
   */
  synchronized long waitedForBy(long ticket, int timeline) {
    int slot = oldestCovering(ticket);
    return slot >= 0 ? clocks[slot][timeline] : clock[timeline];
  }

  /** A copy of how far this stream has waited for each timeline. */
  synchronized long[] clock() {
    return clock.clone();
  }

  /**
   * Whether an event is to separate a ticket from the next one. Where no wait has asked for an
   * event for as many tickets as there are events, the next one comes four tickets after the last:
   * a wait may then include up to three later launches.
   */
  boolean separates(long ticket) {
    return ticket - askedAt <= CAPACITY || ticket - recordedAt >= SPACING;
  }

  /** Records an event that covers everything up to {@code ticket}, which has been queued. */
  void record(long ticket) {
    recorder.lock();
    try {
      recordNow(ticket);
    } finally {
      recorder.unlock();
    }
  }

  /**
   * Records an event that covers everything queued on the stream at this moment, also by code that
   * is not the runtime's.
   *
   * @param submitted the highest ticket that is known to be queued
   * @return the event; the last one if the stream is not usable; null if its work is known to be
   *     done as well
   */
  @Nullable EventHandle coveringEverything(long submitted) {
    recorder.lock();
    try {
      return stream.isUsable(driver) ? recordNow(submitted) : recorded(submitted);
    } finally {
      recorder.unlock();
    }
  }

  private synchronized @Nullable EventHandle recorded(long ticket) {
    int slot = ticket == 0 ? -1 : oldestCovering(ticket);
    return slot < 0 ? null : events[slot];
  }

  /**
   * Whether nothing is queued on the stream at this moment, not even by code that is not the
   * runtime's.
   *
   * @param otherwise the answer if the stream is not usable
   */
  boolean isStreamIdle(BooleanSupplier otherwise) {
    recorder.lock();
    try {
      if (stream.isUsable(driver)) {
        return driver.isStreamIdle(stream.handle());
      }
    } finally {
      recorder.unlock();
    }
    return otherwise.getAsBoolean();
  }

  /** Whether the runtime may put anything on the stream, see {@link StreamSlot#isUsable}. */
  boolean isStreamUsable() {
    recorder.lock();
    try {
      return stream.isUsable(driver);
    } finally {
      recorder.unlock();
    }
  }

  /** Gives the stream of an adopted timeline back to its owner. */
  void detach() {
    recorder.lock();
    try {
      stream.detach();
    } finally {
      recorder.unlock();
    }
  }

  /** Goes on with another stream of the pool's own. No event is being recorded meanwhile. */
  void exchange(StreamHandle next) {
    recorder.lock();
    try {
      stream.exchange(next);
    } finally {
      recorder.unlock();
    }
  }

  /** Held: the recorder's lock. */
  private EventHandle recordNow(long ticket) {
    createEvents();
    int slot = invalidateNext();
    driver.recordEvent(events[slot], stream.handle());
    publish(slot, ticket);
    return events[slot];
  }

  /**
   * Finds an event that covers {@code ticket}, recording one if there is none yet.
   *
   * @param submitted the highest ticket that is known to be queued; at least {@code ticket}
   * @param covered receives the highest ticket of each timeline that the event covers: of this
   *     stream's own, and of those that it had waited for; may be null
   * @return null if the stream is not usable, and its work was known to be done
   */
  @Nullable EventHandle covering(long ticket, long submitted, long @Nullable [] covered) {
    askedAt = submitted;
    while (true) {
      EventHandle known = known(ticket, covered);
      if (known != null) {
        return known;
      }
      recorder.lock();
      try {
        if (!stream.isUsable(driver)) {
          return known(ticket, covered);
        }
        recordNow(submitted);
      } finally {
        recorder.unlock();
      }
    }
  }

  private synchronized @Nullable EventHandle known(long ticket, long @Nullable [] covered) {
    int slot = oldestCovering(ticket);
    if (slot < 0) {
      return null;
    }
    if (covered != null) {
      System.arraycopy(clocks[slot], 0, covered, 0, clock.length);
    }
    return events[slot];
  }

  /** Notes that this stream has waited for an event, and with it for all that the event covers. */
  synchronized void merge(long[] covered) {
    for (int i = 0; i < clock.length; i++) {
      clock[i] = Math.max(clock[i], covered[i]);
    }
  }

  /**
   * Whether what an event covers is done. If so, waits for it as well: tools follow the order of a
   * wait, but not of a query. The wait ends at once, since the event is not recorded meanwhile.
   */
  boolean isCompleteForTools(EventHandle event) {
    recorder.lock();
    try {
      boolean isComplete = driver.isEventComplete(event);
      if (isComplete) {
        driver.synchronizeEvent(event);
      }
      return isComplete;
    } finally {
      recorder.unlock();
    }
  }

  /** Destroys the events. Nothing may be submitted afterwards. */
  void destroy() {
    recorder.lock();
    try {
      Teardown teardown = new Teardown();
      while (created > 0) {
        EventHandle event = events[--created];
        teardown.step(() -> driver.destroyEvent(event));
      }
      teardown.finish();
    } finally {
      recorder.unlock();
    }
  }

  private void createEvents() {
    while (created < CAPACITY) {
      events[created] = driver.createEvent();
      created++;
    }
  }

  private synchronized int invalidateNext() {
    int slot = next;
    next = (next + 1) % CAPACITY;
    System.arraycopy(clock, 0, clocks[slot], 0, clock.length);
    clocks[slot][own] = 0;
    return slot;
  }

  private synchronized void publish(int slot, long ticket) {
    clocks[slot][own] = ticket;
    recordedAt = ticket;
  }

  /**
   * The oldest slot that covers a ticket, or -1. Searches back from the newest slot: from {@code
   * next} on, slots are in the order of recording.
   */
  private int oldestCovering(long ticket) {
    int found = -1;
    for (int back = 1; back <= CAPACITY; back++) {
      int slot = Math.floorMod(next - back, CAPACITY);
      if (clocks[slot][own] >= ticket) {
        found = slot;
      } else if (clocks[slot][own] != 0) {
        break;
      }
    }
    return found;
  }
}

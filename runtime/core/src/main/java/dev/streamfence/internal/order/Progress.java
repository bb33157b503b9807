package dev.streamfence.internal.order;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * How far a stream's work is known to be done. Asks the driver for more while the runtime is open.
 * {@code completed} only rises. Thread-safe.
 */
final class Progress {
  private final StreamPool pool;
  private final CudaDriver driver;
  private final StreamSlot stream;
  private final EventRing ring;
  private final String query;
  private final AtomicLong completed = new AtomicLong();

  Progress(StreamPool pool, int index, CudaDriver driver, StreamSlot stream, EventRing ring) {
    this.pool = pool;
    this.driver = driver;
    this.stream = stream;
    this.ring = ring;
    this.query = "a query of stream " + index;
  }

  /** The highest ticket that is known to be done, without asking the driver. */
  long completed() {
    return completed.get();
  }

  boolean isKnown(long ticket) {
    return completed.get() >= ticket;
  }

  /** Notes that a ticket is done, as the driver has told the caller. */
  void note(long ticket) {
    if (completed.get() < ticket) {
      completed.accumulateAndGet(ticket, Math::max);
    }
  }

  /**
   * Whether the stream is idle; {@code ticket} is the last submitted one. An adopted stream may
   * have work of other code besides, which counts as well.
   */
  boolean isIdle(long ticket) {
    if (!stream.isAdopted()) {
      return isKnown(ticket) || ask(ticket, query, false, () -> stream.ask(driver::isStreamIdle));
    }
    return ask(
        ticket, query, false, () -> ring.isStreamIdle(() -> isKnown(ticket) || asked(ticket)));
  }

  /**
   * Whether a ticket is done.
   *
   * @param submitted the highest ticket that is known to be queued; at least {@code ticket}
   */
  boolean isDone(long ticket, long submitted) {
    return isKnown(ticket)
        || ask(
            ticket,
            query,
            false,
            () -> {
              EventHandle event = ring.covering(ticket, submitted, null);
              return event == null || isComplete(event);
            });
  }

  /**
   * Waits until a ticket is done.
   *
   * @param submitted the highest ticket that is known to be queued; at least {@code ticket}
   */
  void await(long ticket, long submitted, String purpose) {
    if (!isKnown(ticket)) {
      ask(
          ticket,
          purpose,
          true,
          () -> {
            EventHandle event = ring.covering(ticket, submitted, null);
            if (event != null) {
              driver.synchronizeEvent(event);
            }
            return true;
          });
    }
  }

  /**
   * Waits for everything queued on the stream, at least up to a ticket, even if all of it is known
   * to be done, and throws its failure. Everything that the stream had waited for is then done as
   * well.
   */
  void synchronize(long ticket, String purpose) {
    ask(
        ticket,
        purpose,
        true,
        () -> {
          long[] waitedFor = ring.clock();
          synchronizeStream(ticket);
          for (int i = 0; i < waitedFor.length; i++) {
            if (waitedFor[i] > 0) {
              pool.timeline(i).noteCompleted(waitedFor[i]);
            }
          }
          return true;
        });
  }

  private boolean asked(long ticket) {
    EventHandle event = ring.covering(ticket, ticket, null);
    return event == null || isComplete(event);
  }

  private boolean isComplete(EventHandle event) {
    return pool.isOrderingVisible()
        ? ring.isCompleteForTools(event)
        : driver.isEventComplete(event);
  }

  /** An adopted stream may go back to its owner meanwhile, who destroys it; the event remains. */
  private void synchronizeStream(long ticket) {
    if (!stream.isAdopted()) {
      stream.ask(
          own -> {
            driver.synchronizeStream(own);
            return true;
          });
      return;
    }
    EventHandle event;
    try {
      event = ring.coveringEverything(ticket);
    } catch (CudaDriverException e) {
      // Its owner may have destroyed it too early; that must not end this runtime.
      driver.synchronizeDevice();
      return;
    }
    if (event != null) {
      driver.synchronizeEvent(event);
    }
  }

  /**
   * Asks the driver whether a ticket is done, unless the runtime is closed.
   *
   * @param waiting whether the question waits until the ticket is done, and so may wait for a close
   *     as well
   */
  private boolean ask(long ticket, String purpose, boolean waiting, BooleanSupplier question) {
    pool.sticky().check();
    if (!pool.life().tryEnter()) {
      return isKnownAtTheEnd(ticket, purpose, waiting);
    }
    try {
      boolean done = question.getAsBoolean();
      if (done) {
        note(ticket);
      }
      return done;
    } catch (CudaDriverException e) {
      throw e.during(purpose);
    } finally {
      pool.life().leave();
    }
  }

  /**
   * Answers without the driver, for a runtime that is closing or closed. Closing waits for all
   * work, so a ticket may become known until it ends.
   */
  private boolean isKnownAtTheEnd(long ticket, String purpose, boolean waiting) {
    if (waiting) {
      pool.life().awaitClosed();
    }
    boolean mayBecomeKnown = !pool.life().isClosed();
    if (isKnown(ticket)) {
      return true;
    }
    if (mayBecomeKnown && !waiting) {
      return false;
    }
    throw pool.life().closed(purpose + " asks after work whose end was not seen before");
  }
}

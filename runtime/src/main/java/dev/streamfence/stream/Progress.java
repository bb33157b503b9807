package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.CudaDriver.StreamHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * How far a stream's work is known to be done, and how more of it is learnt from the driver, as
 * long as the runtime is open. {@code completed} only rises. Thread-safe.
 */
final class Progress {
  private final StreamPool pool;
  private final CudaDriver driver;
  private final StreamHandle stream;
  private final EventRing ring;
  private final String query;
  private final AtomicLong completed = new AtomicLong();

  Progress(StreamPool pool, int index, CudaDriver driver, StreamHandle stream, EventRing ring) {
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

  /** Notes that a ticket is done, which the caller has learnt from the driver. */
  void note(long ticket) {
    if (completed.get() < ticket) {
      completed.accumulateAndGet(ticket, Math::max);
    }
  }

  /** Whether the stream is idle, where {@code ticket} is the last that was submitted. */
  boolean isIdle(long ticket) {
    return isKnown(ticket) || ask(ticket, query, false, () -> driver.isStreamIdle(stream));
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
            () -> driver.isEventComplete(ring.covering(ticket, submitted, null)));
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
            driver.synchronizeEvent(ring.covering(ticket, submitted, null));
            return true;
          });
    }
  }

  /**
   * Waits for all that is queued on the stream, at least up to a ticket, even if all of that is
   * known to be done: what failed meanwhile is thrown. What the stream has waited for is done then
   * as well.
   */
  void synchronize(long ticket, String purpose) {
    ask(
        ticket,
        purpose,
        true,
        () -> {
          long[] waitedFor = ring.clock();
          driver.synchronizeStream(stream);
          for (int i = 0; i < waitedFor.length; i++) {
            if (waitedFor[i] > 0) {
              pool.timeline(i).noteCompleted(waitedFor[i]);
            }
          }
          return true;
        });
  }

  /**
   * Asks the driver whether a ticket is done, unless the runtime is closed.
   *
   * @param waiting whether the question waits until it is, and so may wait for a close as well
   */
  private boolean ask(long ticket, String purpose, boolean waiting, BooleanSupplier question) {
    pool.faults().check();
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
      throw pool.faults().note(e, purpose);
    } finally {
      pool.life().leave();
    }
  }

  /** A closed runtime knows what it saw before, and closing one waits for all work. */
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

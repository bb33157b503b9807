package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.CudaDriver.StreamHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/**
 * How far a stream's work is known to be done, and how more of it is learnt from the driver: with
 * the stream and its events there for as long as the driver is asked. {@code completed} only rises.
 *
 * <p>Thread-safe. A launch takes its lock only where an event or a wait could not be queued, and it
 * waits for the device instead.
 */
final class Progress {
  private final StreamPool pool;
  private final int index;
  private final CudaDriver driver;
  private final StreamHandle stream;
  private final EventRing ring;
  private final String query;
  private final AtomicLong completed = new AtomicLong();

  /** Shared by whoever asks the driver; taken before the stream and its events are destroyed. */
  private final ReentrantReadWriteLock asking = new ReentrantReadWriteLock();

  // Guarded by asking.
  private boolean ended;

  Progress(StreamPool pool, int index, CudaDriver driver, StreamHandle stream, EventRing ring) {
    this.pool = pool;
    this.index = index;
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
    return isKnown(ticket) || ask(ticket, query, () -> driver.isStreamIdle(stream));
  }

  /**
   * Whether a ticket is done.
   *
   * @param submitted the highest ticket that is known to be queued; at least {@code ticket}
   */
  boolean isDone(long ticket, long submitted) {
    return isKnown(ticket)
        || ask(ticket, query, () -> driver.isEventComplete(ring.covering(ticket, submitted, null)));
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

  /** From here on the driver is not asked any more. Waits for whoever is asking it. */
  void end() {
    asking.writeLock().lock();
    try {
      ended = true;
    } finally {
      asking.writeLock().unlock();
    }
  }

  /** Asks the driver whether a ticket is done, while nobody destroys what it is asked after. */
  private boolean ask(long ticket, String purpose, BooleanSupplier question) {
    pool.faults().check();
    asking.readLock().lock();
    try {
      if (ended) {
        return requireKnown(ticket);
      }
      boolean done = question.getAsBoolean();
      if (done) {
        note(ticket);
      }
      return done;
    } catch (CudaDriverException e) {
      throw pool.faults().note(e, purpose);
    } finally {
      asking.readLock().unlock();
    }
  }

  /** After the end nobody can be asked any more. */
  private boolean requireKnown(long ticket) {
    if (isKnown(ticket)) {
      return true;
    }
    throw new StreamMisuseException(
        "stream " + index + " is asked after work whose end nobody saw before the runtime closed");
  }
}

package dev.streamfence.internal.transfer;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.transfer.StagingCopies.OfferedBuffer;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One copy from the device to host data, through staging memory. Two chunks in flight keep the bus
 * busy. Confined to one thread, used once.
 *
 * <p>No copying on the host happens while a stream that a caller can name is held. A download of at
 * most two chunks is queued whole, and then copied to the host data. A longer one needs a chunk
 * again before it can queue the next piece, so its pieces go to a stream of the pool's own. There
 * it counts as one read, which is registered before the first piece and submitted with the last
 * one: a writer of the same memory waits for that, on whichever stream, and so the data is as it
 * was when the download began. Pieces on the caller's stream, with its lock released in between,
 * would let such a writer in.
 */
final class ChunkedDownload {
  private static final int MAX_IN_FLIGHT = 2;

  /** With fewer, helpers would wait for the calling thread while it waits for the bus. */
  private static final int MAX_COPYING = 2;

  private final StreamPool streams;
  private final StagingPool staging;
  private final StagingCopies copies;
  private final Timeline timeline;
  private final Region source;
  private final long bytes;
  private final @Nullable Deadline deadline;

  /** The chunks that the bus fills, the oldest first. */
  private final Deque<Chunk> inFlight = new ArrayDeque<>(MAX_IN_FLIGHT);

  /** The chunks that are being copied to the host data, and how far; the oldest first. */
  private final Deque<Chunk> copying = new ArrayDeque<>(MAX_COPYING);

  private final Deque<OfferedBuffer> offeredBuffers = new ArrayDeque<>(MAX_COPYING);
  private long queued;

  /** The bytes that have arrived; those of the chunks in {@link #copying} may be under way. */
  private long arrived;

  /** The stream of the pool's own that brings the pieces; null if the caller's stream does. */
  private @Nullable Timeline carrier;

  private long carrierTicket;

  /** What interrupted the queuing of the pieces; null if nothing has. */
  private @Nullable InterruptedException interrupt;

  /**
   * Prepares a download.
   *
   * @param copies copies the bytes of the source to the host data; {@link #run} closes it
   * @param deadline null to wait as long as it takes
   */
  ChunkedDownload(
      StreamPool streams,
      StagingPool staging,
      StagingCopies copies,
      Timeline timeline,
      Region source,
      @Nullable Deadline deadline) {
    this.streams = streams;
    this.staging = staging;
    this.copies = copies;
    this.timeline = timeline;
    this.source = source;
    this.bytes = source.sizeInBytes();
    this.deadline = deadline;
  }

  /**
   * Copies, and waits until the data is there.
   *
   * @return false if the deadline passed first
   * @throws InterruptedException if the thread is interrupted while it waits with a deadline
   */
  boolean run(UseLabels labels) throws InterruptedException {
    try (copies) {
      boolean isShort = bytes <= (long) MAX_IN_FLIGHT * staging.chunkBytes();
      long ticket;
      while (true) {
        // A long one takes its turn on the stream, too: it comes after the work of other threads
        // that have begun theirs.
        try (Submission begun = begin(labels)) {
          if (begun == null) {
            return false;
          }
          ticket =
              isShort
                  ? begun.carryOut(Work.of(labels, this::use, this::queueAll))
                  : timeline.submitted();
        }
        if (queued == bytes || bytes > staging.chunkBytes()) {
          break;
        }
        // A read of a few bytes does not wait for the end of a long transfer, but for a chunk.
        if (!awaitChunk()) {
          return false;
        }
      }
      if (queued < bytes && !queueInPieces(labels, ticket)) {
        return false;
      }
      while (arrived < bytes) {
        if (!copyOldest()) {
          return false;
        }
      }
      while (!copying.isEmpty()) {
        finishOldest();
      }
      timeline.noteCompleted(ticket);
      if (carrier != null) {
        carrier.noteCompleted(carrierTicket);
      }
      return true;
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    } finally {
      // The pool waits for a copy that is still in flight before it lends the chunk again.
      giveBack(inFlight);
      giveBack(copying);
    }
  }

  private void giveBack(Deque<Chunk> chunks) {
    while (!chunks.isEmpty()) {
      staging.giveBack(chunks.removeFirst());
    }
  }

  private void use(Submission submission) {
    submission.use(source.hazards(), true, false, 0);
  }

  /**
   * Queues all pieces, or none if that would wait for a chunk. The work is committed in either
   * case: an event too many is the price of a rare wait.
   */
  private void queueAll(Submission submission) {
    Deque<Chunk> ready = new ArrayDeque<>(MAX_IN_FLIGHT);
    try {
      for (long taken = 0; taken < bytes; taken += staging.chunkBytes()) {
        Chunk chunk = staging.tryTakeReady();
        if (chunk == null) {
          return;
        }
        ready.addLast(chunk);
      }
      while (!ready.isEmpty()) {
        queue(ready.removeFirst(), submission);
      }
    } finally {
      ready.forEach(staging::giveBack);
    }
  }

  /**
   * Queues the pieces on a stream of the pool's own, and hands over all but the last ones.
   *
   * @param ticket on the caller's stream, which the copy comes after
   * @return false if the deadline passed first
   */
  private boolean queueInPieces(UseLabels labels, long ticket) throws InterruptedException {
    Work<Long> pieces =
        Work.of(
            labels,
            submission -> {
              submission.after(timeline, ticket);
              use(submission);
            },
            this::queuePieces);
    Submission begun = streams.beginTransfer(labels, deadline);
    if (begun == null) {
      return false;
    }
    carrier = begun.timeline();
    boolean isCarriedOut = false;
    try {
      carrierTicket = begun.carryOut(pieces);
      isCarriedOut = true;
    } finally {
      if (!isCarriedOut && interrupt != null) {
        Thread.currentThread().interrupt();
      }
    }
    if (interrupt != null) {
      throw interrupt;
    }
    return queued == bytes;
  }

  /** Queues the pieces until all are, the deadline passes, or the thread is interrupted. */
  private void queuePieces(Submission submission) {
    try {
      while (queued < bytes && queueNext(submission)) {
        // The next one.
      }
    } catch (InterruptedException e) {
      interrupt = e;
    }
  }

  private @Nullable Submission begin(UseLabels labels) throws InterruptedException {
    return deadline == null ? timeline.begin(labels) : timeline.begin(labels, deadline);
  }

  /** Queues the copy of the next chunk; returns false if the deadline passed first. */
  private boolean queueNext(Submission on) throws InterruptedException {
    if (inFlight.size() == MAX_IN_FLIGHT && !copyOldest()) {
      return false;
    }
    // A thread that holds one chunk never waits for a second: if all did, none would give one back.
    boolean holdsNone = inFlight.isEmpty() && copying.isEmpty();
    Chunk chunk = holdsNone ? take() : takeAnother();
    while (chunk == null) {
      if (holdsNone || (copying.isEmpty() && !copyOldest())) {
        return false;
      }
      finishOldest();
      holdsNone = inFlight.isEmpty() && copying.isEmpty();
      chunk = holdsNone ? take() : takeAnother();
    }
    queue(chunk, on);
    return true;
  }

  /** Queues the copy of the next piece to a chunk, which then belongs to this copy. */
  private void queue(Chunk chunk, Submission on) {
    int size = (int) Math.min(bytes - queued, staging.chunkBytes());
    inFlight.addLast(chunk);
    on.sink().copyToHostAsync(chunk.memory(), 0, source.address() + queued, size, on.stream());
    staging.markCopied(chunk, on.timeline(), streams.sticky());
    queued += size;
  }

  /** Takes a chunk; returns null if the deadline passed first. */
  private @Nullable Chunk take() throws InterruptedException {
    return deadline == null ? staging.take() : staging.take(deadline);
  }

  /** Waits until a chunk is ready, holding nothing; returns false if the deadline passed first. */
  private boolean awaitChunk() throws InterruptedException {
    Chunk chunk = take();
    if (chunk != null) {
      staging.giveBackUnused(chunk);
    }
    return chunk != null;
  }

  /** Takes a second chunk if one is free; with a deadline, only one that is ready at once. */
  private @Nullable Chunk takeAnother() {
    return deadline == null ? staging.tryTakeAnother() : staging.tryTakeAnotherReady();
  }

  /**
   * Lets the oldest chunk in flight be copied to the host data once it has arrived; returns false
   * if the deadline passed first.
   */
  private boolean copyOldest() throws InterruptedException {
    Chunk chunk = inFlight.getFirst();
    if (deadline == null) {
      staging.await(chunk);
    } else if (!staging.await(chunk, deadline)) {
      return false;
    }
    if (copying.size() == MAX_COPYING) {
      finishOldest();
    }
    copying.addLast(chunk);
    inFlight.removeFirst();
    int size = (int) Math.min(bytes - arrived, staging.chunkBytes());
    offeredBuffers.addLast(copies.offer(chunk.view(size), arrived));
    arrived += size;
    return true;
  }

  /** Gives the oldest chunk back once it is copied to the host data. */
  private void finishOldest() {
    copies.await(offeredBuffers.removeFirst());
    staging.giveBack(copying.removeFirst());
  }
}

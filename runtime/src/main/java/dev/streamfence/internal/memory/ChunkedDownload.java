package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.StagingPool.Chunk;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One copy from the device to host data, through staging memory. Two chunks in flight keep the bus
 * busy. Confined to one thread, used once.
 */
final class ChunkedDownload {
  private final StreamPool streams;
  private final CudaDriver driver;
  private final StagingPool staging;
  private final StagingThreads threads;
  private final Timeline timeline;
  private final Region source;
  private final long bytes;
  private final HostBytes target;
  private final @Nullable Deadline deadline;
  private final Deque<Chunk> inFlight = new ArrayDeque<>(2);
  private long queued;
  private long delivered;

  ChunkedDownload(
      StreamPool streams,
      StagingPool staging,
      StagingThreads threads,
      Timeline timeline,
      Region source,
      HostBytes target,
      @Nullable Deadline deadline) {
    this.streams = streams;
    this.driver = streams.driver();
    this.staging = staging;
    this.threads = threads;
    this.timeline = timeline;
    this.source = source;
    this.bytes = source.sizeInBytes();
    this.target = target;
    this.deadline = deadline;
  }

  /**
   * Copies, and waits until the data is there.
   *
   * @return false if the deadline passed first
   * @throws InterruptedException if the thread is interrupted while it waits with a deadline
   */
  boolean run(UseLabels labels) throws InterruptedException {
    try {
      long ticket;
      try (Submission submission = begin(labels)) {
        if (submission == null) {
          return false;
        }
        submission.use(source.hazards(), true, false, 0);
        submission.preflight();
        while (queued < bytes) {
          if (!queueNext()) {
            return false;
          }
        }
        submission.commit();
        ticket = submission.ticket();
      }
      while (delivered < bytes) {
        if (!deliver()) {
          return false;
        }
      }
      timeline.noteCompleted(ticket);
      return true;
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    } finally {
      // The pool waits for a copy that is still in flight before it lends the chunk again.
      inFlight.forEach(staging::giveBack);
    }
  }

  private @Nullable Submission begin(UseLabels labels) throws InterruptedException {
    return deadline == null ? timeline.begin(labels) : timeline.begin(labels, deadline);
  }

  /** Queues the copy of the next chunk; returns false if the deadline passed first. */
  private boolean queueNext() throws InterruptedException {
    if (inFlight.size() == 2 && !deliver()) {
      return false;
    }
    // A thread that holds one chunk never waits for a second: if all did, none would give one back.
    Chunk chunk = inFlight.isEmpty() ? take() : takeAnother();
    while (chunk == null) {
      if (inFlight.isEmpty() || !deliver()) {
        return false;
      }
      // It was the only one in flight.
      chunk = take();
    }
    int size = (int) Math.min(bytes - queued, staging.chunkBytes());
    inFlight.addLast(chunk);
    driver.copyToHostAsync(chunk.memory(), 0, source.address() + queued, size, timeline.stream());
    staging.markCopied(chunk, timeline, streams.sticky());
    queued += size;
    return true;
  }

  /** Takes a chunk; returns null if the deadline passed first. */
  private @Nullable Chunk take() throws InterruptedException {
    return deadline == null ? staging.take() : staging.take(deadline);
  }

  /** Takes a second chunk if one is free; with a deadline, only one that is ready at once. */
  private @Nullable Chunk takeAnother() {
    return deadline == null ? staging.tryTake() : staging.tryTakeReady();
  }

  /** Hands over the oldest chunk's data; returns false if the deadline passed first. */
  private boolean deliver() throws InterruptedException {
    Chunk chunk = inFlight.getFirst();
    if (deadline == null) {
      staging.await(chunk);
    } else if (!staging.await(chunk, deadline)) {
      return false;
    }
    int size = (int) Math.min(bytes - delivered, staging.chunkBytes());
    threads.read(target, chunk.view(size), delivered);
    inFlight.removeFirst();
    staging.giveBack(chunk);
    delivered += size;
    return true;
  }
}

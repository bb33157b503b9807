package dev.streamfence.internal.transfer;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.transfer.StagingCopies.OfferedBuffer;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One copy from host data to the device, through staging memory: while the bus moves the last
 * chunks, the next ones are filled. Confined to the thread that holds the stream, used once.
 */
final class ChunkedUpload {
  /** With fewer, helpers would wait for the calling thread while it queues a copy. */
  private static final int MAX_FILLING = 3;

  private final StagingPool staging;
  private final StagingCopies copies;
  private final Timeline timeline;
  private final StickyError faults;
  private final Region target;
  private final long bytes;

  /** The chunks that are being filled, and how far; the first one is sent next. */
  private final Deque<Chunk> filling = new ArrayDeque<>(MAX_FILLING);

  private final Deque<OfferedBuffer> offeredBuffers = new ArrayDeque<>(MAX_FILLING);
  private long offered;
  private long sent;

  ChunkedUpload(
      StagingPool staging,
      StagingCopies copies,
      Timeline timeline,
      StickyError faults,
      Region target) {
    this.staging = staging;
    this.copies = copies;
    this.timeline = timeline;
    this.faults = faults;
    this.target = target;
    this.bytes = target.sizeInBytes();
  }

  /** Queues all copies. Waits only while all staging memory is in use. */
  void run(Sink sink, StreamHandle stream) {
    try (copies) {
      while (sent < bytes) {
        fill();
        send(sink, stream);
      }
    } finally {
      // The pool waits for a copy that is still in flight before it lends the chunk again.
      while (!filling.isEmpty()) {
        staging.giveBack(filling.removeFirst());
      }
    }
  }

  /** Lets further chunks be filled. A thread that holds one never waits for another. */
  private void fill() {
    while (offered < bytes && filling.size() < MAX_FILLING) {
      Chunk chunk = filling.isEmpty() ? staging.take() : staging.tryTakeAnotherReady();
      if (chunk == null) {
        return;
      }
      filling.addLast(chunk);
      int size = size(offered);
      offeredBuffers.addLast(copies.offer(chunk.view(size), offered));
      offered += size;
    }
  }

  /** Sends the oldest chunk once it is filled. */
  private void send(Sink sink, StreamHandle stream) {
    copies.await(offeredBuffers.removeFirst());
    Chunk chunk = filling.getFirst();
    int size = size(sent);
    sink.copyToDeviceAsync(target.address() + sent, chunk.memory(), 0, size, stream);
    staging.markCopied(chunk, timeline, faults);
    filling.removeFirst();
    staging.giveBack(chunk);
    sent += size;
  }

  private int size(long from) {
    return (int) Math.min(bytes - from, staging.chunkBytes());
  }
}

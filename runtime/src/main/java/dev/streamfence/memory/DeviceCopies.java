package dev.streamfence.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.memory.StagingPool.Chunk;
import dev.streamfence.stream.StreamPool;
import dev.streamfence.stream.Submission;
import dev.streamfence.stream.Timeline;
import dev.streamfence.stream.UseLabels;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Copies and fills of tracked blocks, each registered and ordered like a launch on the stream that
 * the caller names. Thread-safe.
 */
public final class DeviceCopies {
  private final StreamPool streams;
  private final CudaDriver driver;
  private final StagingPool staging;

  /** Creates the copies of the device of a pool. */
  public DeviceCopies(StreamPool streams) {
    this(streams, StagingPool.CHUNK_BYTES);
  }

  /** Creates the copies of the device of a pool, which pass the host in pieces of one size. */
  public DeviceCopies(StreamPool streams, int chunkBytes) {
    this.streams = streams;
    this.driver = streams.driver();
    this.staging = new StagingPool(driver, chunkBytes);
  }

  /**
   * Copies host data to a block. The data may be changed as soon as this returns; the copy itself
   * may still be queued. Waits only while all staging memory is in use.
   */
  public void upload(Timeline timeline, HostBytes source, Block target, long offset, long bytes) {
    UseLabels labels = labels("upload of ", bytes, " bytes to ", target, timeline);
    target.requireTracked(labels, 0);
    try (Submission submission = timeline.begin(labels)) {
      submission.use(target.dependencies(), false, true, 0);
      submission.preflight();
      for (long done = 0; done < bytes; done += staging.chunkBytes()) {
        int size = (int) Math.min(bytes - done, staging.chunkBytes());
        Chunk chunk = staging.take();
        try {
          source.writeTo(view(chunk, size), done);
          driver.copyToDeviceAsync(
              target.address() + offset + done, chunk.memory(), 0, size, timeline.stream());
          markCopied(chunk, timeline);
        } finally {
          staging.giveBack(chunk);
        }
      }
      submission.commit();
    } catch (CudaDriverException e) {
      throw streams.faults().note(e, labels.purpose());
    }
  }

  /**
   * Copies a block to host data. Waits until the data is there, and with it for everything queued
   * before.
   */
  public void download(Timeline timeline, Block source, long offset, long bytes, HostBytes target) {
    UseLabels labels = labels("download of ", bytes, " bytes from ", source, timeline);
    source.requireTracked(labels, 0);
    Deque<Chunk> inFlight = new ArrayDeque<>(2);
    long delivered = 0;
    long ticket;
    try {
      try (Submission submission = timeline.begin(labels)) {
        submission.use(source.dependencies(), true, false, 0);
        submission.preflight();
        for (long queued = 0; queued < bytes; queued += staging.chunkBytes()) {
          if (inFlight.size() == 2) {
            delivered += deliver(inFlight, target, delivered, bytes);
          }
          // Two in flight keep the bus busy. Whoever holds one chunk never waits for a second: if
          // everybody did, nobody would give one back.
          Chunk chunk = inFlight.isEmpty() ? staging.take() : staging.tryTake();
          while (chunk == null) {
            delivered += deliver(inFlight, target, delivered, bytes);
            chunk = inFlight.isEmpty() ? staging.take() : staging.tryTake();
          }
          int size = (int) Math.min(bytes - queued, staging.chunkBytes());
          inFlight.addLast(chunk);
          driver.copyToHostAsync(
              chunk.memory(), 0, source.address() + offset + queued, size, timeline.stream());
          markCopied(chunk, timeline);
        }
        submission.commit();
        ticket = submission.ticket();
      }
      while (delivered < bytes) {
        delivered += deliver(inFlight, target, delivered, bytes);
      }
      timeline.noteCompleted(ticket);
    } catch (CudaDriverException e) {
      throw streams.faults().note(e, labels.purpose());
    } finally {
      inFlight.forEach(staging::giveBack);
    }
  }

  /** Copies within the device, between two blocks. Does not synchronise. */
  public void copy(
      Timeline timeline,
      Block source,
      long sourceOffset,
      Block target,
      long targetOffset,
      long bytes) {
    UseLabels labels = labels("copy of ", bytes, " bytes to ", target, timeline);
    source.requireTracked(labels, 0);
    target.requireTracked(labels, 0);
    try (Submission submission = timeline.begin(labels)) {
      submission.use(source.dependencies(), true, false, 0);
      submission.use(target.dependencies(), false, true, 1);
      submission.preflight();
      driver.copyOnDeviceAsync(
          target.address() + targetOffset,
          source.address() + sourceOffset,
          bytes,
          timeline.stream());
      submission.commit();
    } catch (CudaDriverException e) {
      throw streams.faults().note(e, labels.purpose());
    }
  }

  /**
   * Fills part of a block with one repeated value. Does not synchronise.
   *
   * @param width bytes of the value: 1, 2, 4 or 8; the offset is a multiple of it
   * @param value its low bytes are used
   * @param count how many values
   */
  public void fill(
      Timeline timeline, Block target, long offset, int width, long value, long count) {
    UseLabels labels = labels("fill of ", width * count, " bytes of ", target, timeline);
    target.requireTracked(labels, 0);
    long address = target.address() + offset;
    try (Submission submission = timeline.begin(labels)) {
      submission.use(target.dependencies(), false, true, 0);
      submission.preflight();
      switch (width) {
        case 1 -> driver.fill8Async(address, (byte) value, count, timeline.stream());
        case 2 -> driver.fill16Async(address, (short) value, count, timeline.stream());
        case 4 -> driver.fill32Async(address, (int) value, count, timeline.stream());
        default -> fill64(timeline, address, value, count);
      }
      submission.commit();
    } catch (CudaDriverException e) {
      throw streams.faults().note(e, labels.purpose());
    }
  }

  /**
   * Frees the staging memory. Nothing may be copied any more.
   *
   * @param isDeviceDone whether nothing is in flight; otherwise the last copies are waited for
   */
  public void destroy(boolean isDeviceDone) {
    staging.destroy(isDeviceDone);
  }

  /**
   * The driver fills with 32 bits at most: a wider value is one fill when its halves agree, and
   * otherwise two.
   */
  private void fill64(Timeline timeline, long address, long value, long count) {
    int low = (int) value;
    int high = (int) (value >>> 32);
    if (low == high) {
      driver.fill32Async(address, low, 2 * count, timeline.stream());
    } else {
      driver.fill32StridedAsync(address, 8, low, count, timeline.stream());
      driver.fill32StridedAsync(address + 4, 8, high, count, timeline.stream());
    }
  }

  /** A chunk whose copy has no event must not be used again before the copy is done. */
  private void markCopied(Chunk chunk, Timeline timeline) {
    try {
      staging.copied(chunk, timeline.stream());
    } catch (CudaDriverException unrecorded) {
      try {
        driver.synchronizeStream(timeline.stream());
      } catch (CudaDriverException unsynchronized) {
        unrecorded.addSuppressed(unsynchronized);
        streams.faults().poison(unrecorded, "a copy on " + timeline);
      }
      throw unrecorded;
    }
  }

  private int deliver(Deque<Chunk> inFlight, HostBytes target, long delivered, long bytes) {
    Chunk chunk = inFlight.getFirst();
    staging.await(chunk);
    int size = (int) Math.min(bytes - delivered, staging.chunkBytes());
    target.readFrom(view(chunk, size), delivered);
    inFlight.removeFirst();
    staging.giveBack(chunk);
    return size;
  }

  private static ByteBuffer view(Chunk chunk, int size) {
    ByteBuffer shared = chunk.memory().buffer();
    return shared.slice(0, size).order(shared.order());
  }

  private static UseLabels labels(
      String act, long bytes, String relation, Block block, Timeline timeline) {
    return new UseLabels() {
      @Override
      public String purpose() {
        return act + bytes + relation + block + " on " + timeline;
      }

      @Override
      public String use(int label) {
        return act + bytes + " bytes on " + timeline;
      }
    };
  }
}

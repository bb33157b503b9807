package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.StagingPool.Chunk;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Copies and fills of tracked allocations, each registered and ordered like a launch on the stream
 * that the caller names. Thread-safe.
 */
public final class DeviceCopies {
  private final StreamPool streams;
  private final CudaDriver driver;
  private final StagingPool staging;
  private final StagingThreads threads;

  /**
   * Creates the copies for the device of a pool.
   *
   * @param stagingThreads how many threads copy between host data and staging memory, at least 1
   */
  public DeviceCopies(StreamPool streams, int stagingThreads) {
    this(streams, StagingPool.CHUNK_BYTES, stagingThreads);
  }

  /** Creates the copies for the device of a pool, with staging chunks of the given size. */
  public DeviceCopies(StreamPool streams, int chunkBytes, int stagingThreads) {
    this.streams = streams;
    this.driver = streams.driver();
    this.staging = new StagingPool(driver, chunkBytes);
    this.threads = new StagingThreads(stagingThreads);
  }

  /**
   * Copies host data to the device. The data may be changed as soon as this returns; the copy
   * itself may still be queued. Waits only while all staging memory is in use.
   */
  public void upload(Timeline timeline, HostBytes source, Region target) {
    long bytes = target.sizeInBytes();
    UseLabels labels = labels("upload of ", bytes, " bytes to ", target, timeline);
    target.requireTracked(labels, 0);
    try (Submission submission = timeline.begin(labels)) {
      submission.use(target.hazards(), false, true, 0);
      submission.preflight();
      for (long done = 0; done < bytes; done += staging.chunkBytes()) {
        int size = (int) Math.min(bytes - done, staging.chunkBytes());
        Chunk chunk = staging.take();
        try {
          threads.write(source, chunk.view(size), done);
          driver.copyToDeviceAsync(
              target.address() + done, chunk.memory(), 0, size, timeline.stream());
          staging.markCopied(chunk, timeline, streams.sticky());
        } finally {
          staging.giveBack(chunk);
        }
      }
      submission.commit();
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  /**
   * Copies page-locked host memory to the device. Does not synchronise: the host memory is in use
   * until the copy is done.
   */
  public void upload(Timeline timeline, HostRegion source, Region target) {
    UseLabels labels = labels("upload of ", target.sizeInBytes(), " bytes to ", target, timeline);
    target.requireTracked(labels, 0);
    try (Submission submission = timeline.begin(labels)) {
      submission.use(target.hazards(), false, true, 0);
      submission.use(source.hazards(), true, false, 1);
      submission.preflight();
      driver.copyToDeviceAsync(
          target.address(),
          source.memory(),
          source.offset(),
          target.sizeInBytes(),
          timeline.stream());
      submission.commit();
      submission.coverIfPossible();
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  /**
   * Copies from the device to page-locked host memory, like {@link #upload}.
   *
   * @return the ticket of the copy, which an event covers
   */
  public long download(Timeline timeline, Region source, HostRegion target) {
    UseLabels labels =
        labels("download of ", source.sizeInBytes(), " bytes from ", source, timeline);
    source.requireTracked(labels, 0);
    try (Submission submission = timeline.begin(labels)) {
      submission.use(source.hazards(), true, false, 0);
      submission.use(target.hazards(), false, true, 1);
      submission.preflight();
      driver.copyToHostAsync(
          target.memory(),
          target.offset(),
          source.address(),
          source.sizeInBytes(),
          timeline.stream());
      submission.commit();
      submission.coverIfPossible();
      return submission.ticket();
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  /**
   * Copies from the device to host data. Waits until the data is there, and so for everything
   * queued before.
   */
  public void download(Timeline timeline, Region source, HostBytes target) {
    try {
      downloadUntil(timeline, source, target, null);
    } catch (InterruptedException e) {
      throw new AssertionError("a wait without a deadline ends with what it waits for", e);
    }
  }

  /**
   * Copies like {@link #download(Timeline, Region, HostBytes)}, unless a deadline passes before the
   * data is there.
   *
   * @return whether the data is there; if not, parts of it may be
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public boolean download(Timeline timeline, Region source, HostBytes target, Deadline deadline)
      throws InterruptedException {
    return downloadUntil(timeline, source, target, deadline);
  }

  private boolean downloadUntil(
      Timeline timeline, Region source, HostBytes target, @Nullable Deadline deadline)
      throws InterruptedException {
    UseLabels labels =
        labels("download of ", source.sizeInBytes(), " bytes from ", source, timeline);
    source.requireTracked(labels, 0);
    return new ChunkedDownload(streams, staging, threads, timeline, source, target, deadline)
        .run(labels);
  }

  /**
   * Moves bytes that a download has brought to page-locked memory to host data, by several threads
   * if there are many.
   */
  public void deliver(ByteBuffer source, HostBytes target) {
    threads.read(target, source, 0);
  }

  /** Copies within the device, between regions of the same size. Does not synchronise. */
  public void copy(Timeline timeline, Region source, Region target) {
    long bytes = target.sizeInBytes();
    UseLabels labels = labels("copy of ", bytes, " bytes to ", target, timeline);
    source.requireTracked(labels, 0);
    target.requireTracked(labels, 0);
    try (Submission submission = timeline.begin(labels)) {
      submission.use(source.hazards(), true, false, 0);
      submission.use(target.hazards(), false, true, 1);
      submission.preflight();
      driver.copyOnDeviceAsync(target.address(), source.address(), bytes, timeline.stream());
      submission.commit();
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  /**
   * Fills a region with one repeated value. Does not synchronise.
   *
   * @param width bytes of the value: 1, 2, 4 or 8; address and size of the region are multiples
   * @param value its low bytes are used
   */
  public void fill(Timeline timeline, Region target, int width, long value) {
    long count = target.sizeInBytes() / width;
    String relation = target.offset() == 0 ? " bytes of " : " bytes from ";
    UseLabels labels = labels("fill of ", target.sizeInBytes(), relation, target, timeline);
    target.requireTracked(labels, 0);
    long address = target.address();
    try (Submission submission = timeline.begin(labels)) {
      submission.use(target.hazards(), false, true, 0);
      submission.preflight();
      switch (width) {
        case 1 -> driver.fill8Async(address, (byte) value, count, timeline.stream());
        case 2 -> driver.fill16Async(address, (short) value, count, timeline.stream());
        case 4 -> driver.fill32Async(address, (int) value, count, timeline.stream());
        default -> fill64(timeline, address, value, count);
      }
      submission.commit();
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  /**
   * Frees the staging memory. Nothing may be copied any more.
   *
   * @param isDeviceDone whether nothing is in flight; otherwise this waits for the last copies
   */
  public void destroy(boolean isDeviceDone) {
    staging.destroy(isDeviceDone);
  }

  /**
   * The driver fills with at most 32 bits: a wider value takes one fill if its halves are equal,
   * otherwise two strided ones. {@code compute-sanitizer} takes a strided fill for one of the
   * memory behind the array as well, so the value is copied instead where tools look on.
   */
  private void fill64(Timeline timeline, long address, long value, long count) {
    int low = (int) value;
    int high = (int) (value >>> 32);
    if (low == high) {
      driver.fill32Async(address, low, 2 * count, timeline.stream());
    } else if (streams.isOrderingVisible()) {
      driver.fill32Async(address, low, 1, timeline.stream());
      driver.fill32Async(address + 4, high, 1, timeline.stream());
      for (long done = 1; done < count; done *= 2) {
        long bytes = 8 * Math.min(done, count - done);
        driver.copyOnDeviceAsync(address + 8 * done, address, bytes, timeline.stream());
      }
    } else {
      driver.fill32StridedAsync(address, 8, low, count, timeline.stream());
      driver.fill32StridedAsync(address + 4, 8, high, count, timeline.stream());
    }
  }

  private static UseLabels labels(
      String act, long bytes, String relation, Region region, Timeline timeline) {
    return new UseLabels() {
      @Override
      public String purpose() {
        return act + bytes + relation + region.begin() + " on " + timeline;
      }

      @Override
      public AttemptedUse use(int label) {
        return AttemptedUse.of(act + bytes + " bytes on " + timeline);
      }
    };
  }
}

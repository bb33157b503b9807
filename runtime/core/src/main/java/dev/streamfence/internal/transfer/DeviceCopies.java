package dev.streamfence.internal.transfer;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.launch.ElementType;
import dev.streamfence.trace.WorkKind;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies and fills of tracked allocations, each registered and ordered like a launch on the stream
 * that the caller names. Thread-safe.
 */
public final class DeviceCopies {
  /** The values that strided fills write in about 2 µs, less than a copy costs the host. */
  private static final long MOST_STRIDED = 1024;

  private static final String PAGEABLE = "pageable memory";
  private static final String PINNED = "pinned memory";

  private final StreamPool streams;
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
    this.staging = new StagingPool(streams.driver(), streams.hostMemory(), chunkBytes);
    this.threads = new StagingThreads(stagingThreads);
  }

  /**
   * Copies host data to the device. The data may be changed as soon as this returns; the copy
   * itself may still be queued. Waits only while all staging memory is in use.
   */
  public void upload(Timeline timeline, HostBytes source, Region target) {
    submit(
        tracked(WorkKind.UPLOAD, PAGEABLE, " bytes to ", target, timeline),
        null,
        target.hazards(),
        Coverage.AT_COMMIT,
        (sink, stream) -> {
          StagingCopies copies = threads.writing(source, target.sizeInBytes());
          new ChunkedUpload(staging, copies, timeline, streams.sticky(), target).run(sink, stream);
        });
  }

  /**
   * Copies page-locked host memory to the device. Does not synchronise: the host memory is in use
   * until the copy is done.
   */
  public void upload(Timeline timeline, HostRegion source, Region target) {
    long bytes = target.sizeInBytes();
    submit(
        tracked(WorkKind.UPLOAD, PINNED, " bytes to ", target, timeline),
        source.hazards(),
        target.hazards(),
        Coverage.IF_POSSIBLE,
        (sink, stream) ->
            sink.copyToDeviceAsync(
                target.address(), source.memory(), source.offset(), bytes, stream));
  }

  /**
   * Copies from the device to page-locked host memory, like {@link #upload}.
   *
   * @return the ticket of the copy, which an event covers
   */
  public long download(Timeline timeline, Region source, HostRegion target) {
    long bytes = source.sizeInBytes();
    return submit(
        tracked(WorkKind.DOWNLOAD, PINNED, " bytes from ", source, timeline),
        source.hazards(),
        target.hazards(),
        Coverage.IF_POSSIBLE,
        (sink, stream) ->
            sink.copyToHostAsync(
                target.memory(), target.offset(), source.address(), bytes, stream));
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
    UseLabels labels = tracked(WorkKind.DOWNLOAD, PAGEABLE, " bytes from ", source, timeline);
    StagingCopies copies = threads.reading(target, source.sizeInBytes());
    return new ChunkedDownload(streams, staging, copies, timeline, source, deadline).run(labels);
  }

  /**
   * Moves bytes that a download has brought to page-locked memory to host data, by several threads
   * if there are many.
   */
  public void deliver(ByteBuffer source, HostBytes target) {
    threads.read(target, source);
  }

  /** Copies within the device, between regions of the same size. Does not synchronise. */
  public void copy(Timeline timeline, Region source, Region target) {
    long bytes = target.sizeInBytes();
    Transfer transfer = tracked(WorkKind.COPY, "", " bytes to ", target, timeline);
    source.requireTracked(transfer, 0);
    submit(
        transfer,
        source.hazards(),
        target.hazards(),
        Coverage.AT_COMMIT,
        (sink, stream) ->
            sink.copyOnDeviceAsync(target.address(), source.address(), bytes, stream));
  }

  /**
   * Fills a region with one value of a type. Does not synchronise.
   *
   * @param value its low bytes are used
   */
  public void fill(Timeline timeline, Region target, ElementType type, long value) {
    fill(timeline, target, type.sizeInBytes(), value, type);
  }

  /**
   * Fills a region with repeated bytes. Does not synchronise.
   *
   * @param width bytes of the value: 1, 2, 4 or 8; address and size of the region are multiples
   * @param value its low bytes are used
   */
  public void fill(Timeline timeline, Region target, int width, long value) {
    fill(timeline, target, width, value, null);
  }

  private void fill(
      Timeline timeline, Region target, int width, long value, @Nullable ElementType type) {
    long address = target.address();
    long count = target.sizeInBytes() / width;
    String relation = target.offset() == 0 ? " bytes of " : " bytes from ";
    Transfer transfer = new Transfer(WorkKind.FILL, "", relation, target, timeline, type);
    target.requireTracked(transfer, 0);
    submit(
        transfer,
        null,
        target.hazards(),
        Coverage.AT_COMMIT,
        (sink, stream) -> {
          if (width == Long.BYTES) {
            fill64(sink, stream, address, value, count);
          } else {
            sink.fillAsync(address, width, (int) value, count, stream);
          }
        });
  }

  /** Puts a transfer on its stream, and returns its ticket. */
  private static long submit(
      Transfer transfer,
      @Nullable HazardState read,
      HazardState written,
      Coverage coverage,
      BiConsumer<Sink, StreamHandle> calls) {
    return transfer
        .timeline()
        .submit(
            Work.of(
                transfer,
                uses -> {
                  if (read != null) {
                    uses.use(read, true, false, 0);
                  }
                  uses.use(written, false, true, 0);
                },
                submission -> calls.accept(submission.sink(), submission.stream()),
                coverage));
  }

  /**
   * Gives the staging memory back. Nothing may be copied any more.
   *
   * @param isDeviceDone whether nothing is in flight; otherwise this waits for the last copies
   */
  public void destroy(boolean isDeviceDone) {
    staging.destroy(isDeviceDone);
  }

  /**
   * The driver fills with at most 32 bits: a wider value takes one fill if its halves are equal.
   * Otherwise two strided fills write the first values, and copies double them: a strided fill
   * alone reaches only some GB/s. {@code compute-sanitizer} takes a strided fill for one of the
   * memory behind the array as well, so only one value is filled where tools look on, and where the
   * sink cannot fill with a stride.
   */
  private void fill64(Sink sink, StreamHandle stream, long address, long value, long count) {
    int low = (int) value;
    int high = (int) (value >>> 32);
    if (low == high) {
      sink.fill64Async(address, low, count, stream);
      return;
    }
    long filled = 1;
    if (streams.isOrderingVisible() || !sink.canFillStrided(address)) {
      sink.fillAsync(address, Integer.BYTES, low, 1, stream);
      sink.fillAsync(address + 4, Integer.BYTES, high, 1, stream);
    } else {
      filled = Math.min(count, MOST_STRIDED);
      sink.fill32StridedAsync(address, 8, low, filled, stream);
      sink.fill32StridedAsync(address + 4, 8, high, filled, stream);
    }
    for (long done = filled; done < count; done *= 2) {
      long bytes = 8 * Math.min(done, count - done);
      sink.copyOnDeviceAsync(address + 8 * done, address, bytes, stream);
    }
  }

  /** A transfer of a region whose uses are tracked. */
  private static Transfer tracked(
      WorkKind kind, String hostMemory, String relation, Region region, Timeline timeline) {
    Transfer transfer = new Transfer(kind, hostMemory, relation, region, timeline, null);
    region.requireTracked(transfer, 0);
    return transfer;
  }

  /** How errors and observers name a copy or a fill. */
  private record Transfer(
      WorkKind kind,
      String hostMemory,
      String relation,
      Region region,
      Timeline timeline,
      @Nullable ElementType type)
      implements UseLabels {
    @Override
    public @Nullable Class<?> filled() {
      return type == null ? null : type.primitive();
    }

    @Override
    public InGraph inGraph() {
      return hostMemory.equals(PAGEABLE) ? InGraph.REFUSED : InGraph.RECORDED;
    }

    @Override
    public WorkFacts facts() {
      return new WorkFacts(kind, kind.inWords(), region.sizeInBytes(), hostMemory);
    }

    @Override
    public String purpose() {
      return kind.inWords()
          + " of "
          + region.sizeInBytes()
          + relation
          + region.begin()
          + " on "
          + timeline;
    }

    @Override
    public AttemptedUse use(int label) {
      return AttemptedUse.of(
          kind.inWords() + " of " + region.sizeInBytes() + " bytes on " + timeline);
    }
  }
}

package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.completion.DownloadDelivery;
import dev.streamfence.internal.completion.DownloadMemory;
import dev.streamfence.internal.completion.TrackedDownload;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.GraphRecording;
import dev.streamfence.internal.order.GraphRecording.HostTransfer;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.internal.transfer.HostRegion;
import dev.streamfence.launch.ElementType;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the copies and fills of arrays, and counts the copies between host and device. The
 * array has checked what it is asked for and found its memory; from here on, all that can refuse an
 * operation is its registration. Thread-safe.
 */
final class ArrayTransfers {
  private final TrackedRuntime runtime;
  private final TransferCounts counts;

  ArrayTransfers(TrackedRuntime runtime, TransferCounts counts) {
    this.runtime = runtime;
    this.counts = counts;
  }

  void upload(TrackedArray<?> array, DeviceStream stream, HostBytes source, Region target) {
    carryOut(array, () -> runtime.copies().upload(timeline(stream), source, target));
    counts.uploaded(target.sizeInBytes());
  }

  /**
   * Queues an upload.
   *
   * @param from the first element of the pinned array
   */
  void upload(
      TrackedArray<?> array,
      DeviceStream stream,
      TrackedPinnedArray<?> source,
      long from,
      Region target) {
    source.requireApart(from, target, "upload");
    source.queue(
        "upload",
        from,
        false,
        bytes -> carryOut(array, () -> runtime.copies().upload(timeline(stream), bytes, target)));
    countRuns(counts.transfer(false, target.sizeInBytes()));
  }

  void download(TrackedArray<?> array, DeviceStream stream, Region source, HostBytes target) {
    carryOut(array, () -> runtime.copies().download(timeline(stream), source, target));
    counts.downloaded(source.sizeInBytes());
  }

  /** Downloads what says how the data is to be read, and counts it apart from data. */
  void readMetadata(TrackedArray<?> array, DeviceStream stream, Region source, HostBytes target) {
    carryOut(array, () -> runtime.copies().download(timeline(stream), source, target));
    counts.metadataRead(source.sizeInBytes());
  }

  /** Downloads unless a deadline passes before; returns whether the data is there. */
  boolean download(
      TrackedArray<?> array,
      DeviceStream stream,
      Region source,
      HostBytes target,
      Deadline deadline)
      throws InterruptedException {
    runtime.life().enter();
    try {
      boolean done = runtime.copies().download(timeline(stream), source, target, deadline);
      if (done) {
        counts.downloaded(source.sizeInBytes());
      }
      return done;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(array);
    }
  }

  /**
   * Queues a download.
   *
   * @param from the first element of the pinned array
   * @return the ticket of the copy on the stream
   */
  long download(
      TrackedArray<?> array,
      DeviceStream stream,
      Region source,
      TrackedPinnedArray<?> target,
      long from) {
    target.requireApart(from, source, "download");
    long[] ticket = new long[1];
    target.queue(
        "download",
        from,
        true,
        bytes ->
            carryOut(
                array,
                () -> ticket[0] = runtime.copies().download(timeline(stream), source, bytes)));
    countRuns(counts.transfer(true, source.sizeInBytes()));
    return ticket[0];
  }

  /** Counts a copy that was queued, or lets a graph do so that has recorded it. */
  private void countRuns(HostTransfer transfer) {
    GraphRecording graph = runtime.life().recording();
    if (graph == null) {
      transfer.count();
    } else {
      graph.addTransfer(transfer);
    }
  }

  /**
   * Begins a download to memory of the runtime's.
   *
   * @param source what is downloaded; null if that is nothing
   * @param value the value of the download, which {@code target} writes to
   * @param isNew whether no caller knows the target before it asks for the value
   */
  <T> TrackedDownload<T> begin(
      TrackedArray<?> array,
      DeviceStream stream,
      @Nullable Region source,
      String purpose,
      T value,
      HostBytes target,
      boolean isNew) {
    runtime.life().requireNotRecording(() -> purpose);
    DownloadMemory downloads = runtime.downloads();
    if (source == null) {
      return new TrackedDownload<>(
          new DownloadDelivery<>(
              downloads,
              runtime.copies(),
              runtime.completion(timeline(stream), 0, purpose),
              value,
              target,
              isNew,
              0,
              null));
    }
    if (source.sizeInBytes() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          purpose + " has more than " + Integer.MAX_VALUE + " bytes; download it in parts");
    }
    runtime.life().enter();
    try {
      HostRegion host = downloads.take(source.sizeInBytes());
      DownloadDelivery<T> delivery;
      try {
        long ticket = runtime.copies().download(timeline(stream), source, host);
        delivery =
            new DownloadDelivery<>(
                downloads,
                runtime.copies(),
                runtime.completion(timeline(stream), ticket, purpose),
                value,
                target,
                isNew,
                (int) source.sizeInBytes(),
                host);
        downloads.add(delivery);
      } catch (RuntimeException | Error e) {
        // The copy may have been queued.
        downloads.abandon(null, host);
        throw e;
      }
      counts.downloaded(source.sizeInBytes());
      TrackedDownload<T> download = new TrackedDownload<>(delivery);
      downloads.restoreLimit(delivery);
      return download;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(array);
    }
  }

  void fill(
      TrackedArray<?> array, DeviceStream stream, Region target, ElementType type, long bits) {
    carryOut(array, () -> runtime.copies().fill(timeline(stream), target, type, bits));
  }

  /** Sets all bytes to 0; the address and the size are multiples of a width. */
  void clear(TrackedArray<?> array, DeviceStream stream, Region target, int width) {
    carryOut(array, () -> runtime.copies().fill(timeline(stream), target, width, 0));
  }

  void copy(
      TrackedArray<?> from, TrackedArray<?> to, DeviceStream stream, Region source, Region target) {
    try {
      carryOut(to, () -> runtime.copies().copy(timeline(stream), source, target));
    } finally {
      Reference.reachabilityFence(from);
    }
  }

  /** Copies from an array of another device. */
  void copyFromPeer(
      TrackedArray<?> from, TrackedArray<?> to, DeviceStream stream, Region source, Region target) {
    TrackedRuntime other = from.runtime();
    String act = "a copy of " + from + " from " + other + " to " + runtime;
    runtime.requireOutsideLaunch(act);
    runtime.life().requireNotRecording(() -> act);
    other.life().requireNotRecording(() -> act);
    other.life().enter();
    try {
      carryOut(to, () -> other.copyTo(runtime, source, timeline(stream), target));
    } finally {
      other.life().leave();
      Reference.reachabilityFence(from);
    }
  }

  /** Refuses downloads while they are refused. */
  void requireDownload(TrackedArray<?> array) {
    counts.requireDownload(array);
  }

  /** Performs an operation on an array's memory while the runtime is open. */
  private void carryOut(TrackedArray<?> array, Runnable operation) {
    runtime.life().enter();
    try {
      operation.run();
    } finally {
      runtime.life().leave();
      // Otherwise the array could become unreachable, and be freed, before the operation.
      Reference.reachabilityFence(array);
    }
  }

  private static Timeline timeline(DeviceStream stream) {
    return TrackedStream.timelineOf(stream);
  }
}

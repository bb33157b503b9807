package dev.streamfence.internal.device;

import static java.util.Objects.requireNonNull;

import dev.streamfence.ReadableArray;
import dev.streamfence.internal.order.GraphRecording.HostTransfer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests for arrays and the copies between host and device, of one user of the memory
 * and of those that have a part of it; and can forbid downloads. Thread-safe.
 */
final class TransferCounts {
  /** What is counted. */
  enum Count {
    REQUESTS,
    UPLOADS,
    UPLOADED_BYTES,
    DOWNLOADS,
    DOWNLOADED_BYTES,
    REFUSED_DOWNLOADS,
    METADATA_READS,
    METADATA_READ_BYTES,
    TABLE_UPLOADS,
    TABLE_UPLOADED_BYTES
  }

  private final @Nullable TransferCounts whole;
  private final Map<Count, LongAdder> sums = new EnumMap<>(Count.class);
  private volatile boolean downloadsRefused;

  /** Counts for the whole memory. */
  TransferCounts() {
    this(null);
  }

  private TransferCounts(@Nullable TransferCounts whole) {
    this.whole = whole;
    for (Count count : Count.values()) {
      sums.put(count, new LongAdder());
    }
  }

  /** Counts for a part, which count here as well. */
  TransferCounts part() {
    return new TransferCounts(this);
  }

  void refuseDownloads(boolean refuse) {
    downloadsRefused = refuse;
  }

  void requireDownload(ReadableArray<?> array) {
    if (areDownloadsRefused()) {
      throw refusedDownload(array.toString());
    }
  }

  /** Counts a download that is refused. */
  private IllegalStateException refusedDownload(String what) {
    add(Count.REFUSED_DOWNLOADS, 1);
    return new IllegalStateException(
        "download of " + what + " while downloads are refused; keep the data on the device");
  }

  private boolean areDownloadsRefused() {
    return downloadsRefused || (whole != null && whole.areDownloadsRefused());
  }

  void requested() {
    add(Count.REQUESTS, 1);
  }

  void uploaded(long bytes) {
    add(Count.UPLOADS, 1);
    add(Count.UPLOADED_BYTES, bytes);
  }

  void downloaded(long bytes) {
    add(Count.DOWNLOADS, 1);
    add(Count.DOWNLOADED_BYTES, bytes);
  }

  /** A copy between host and device that is counted once for each run. */
  HostTransfer transfer(boolean isDownload, long bytes) {
    return new Transfer(this, isDownload, bytes);
  }

  private record Transfer(TransferCounts counts, boolean isDownload, long bytes)
      implements HostTransfer {
    @Override
    public void requireAllowed(Object graph) {
      if (isDownload && counts.areDownloadsRefused()) {
        throw counts.refusedDownload(bytes + " bytes in " + graph);
      }
    }

    @Override
    public void count() {
      if (isDownload) {
        counts.downloaded(bytes);
      } else {
        counts.uploaded(bytes);
      }
    }
  }

  void metadataRead(long bytes) {
    add(Count.METADATA_READS, 1);
    add(Count.METADATA_READ_BYTES, bytes);
  }

  void tablesUploaded(long bytes) {
    add(Count.TABLE_UPLOADS, 1);
    add(Count.TABLE_UPLOADED_BYTES, bytes);
  }

  private void add(Count count, long more) {
    for (TransferCounts each = this; each != null; each = each.whole) {
      each.adder(count).add(more);
    }
  }

  long sum(Count count) {
    return adder(count).sum();
  }

  void reset(Count... counts) {
    for (Count count : counts) {
      adder(count).reset();
    }
  }

  private LongAdder adder(Count count) {
    return requireNonNull(sums.get(count));
  }
}

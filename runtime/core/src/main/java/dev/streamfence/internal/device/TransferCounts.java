package dev.streamfence.internal.device;

import dev.streamfence.ReadableArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests for arrays and the copies between host and device, of one user of the memory
 * and of those that have a part of it; and can forbid downloads. Thread-safe.
 */
final class TransferCounts {
  /** A number of events. */
  static final class Count {
    private final LongAdder sum = new LongAdder();
    private final @Nullable Count whole;

    private Count(@Nullable Count whole) {
      this.whole = whole;
    }

    private void add(long more) {
      sum.add(more);
      if (whole != null) {
        whole.add(more);
      }
    }

    long sum() {
      return sum.sum();
    }

    void reset() {
      sum.reset();
    }
  }

  private final @Nullable TransferCounts whole;
  final Count requests;
  final Count uploads;
  final Count uploadedBytes;
  final Count downloads;
  final Count downloadedBytes;
  final Count refusedDownloads;
  final Count metadataReads;
  final Count metadataReadBytes;
  final Count tableUploads;
  final Count tableUploadedBytes;
  private volatile boolean downloadsRefused;

  /** Counts for the whole memory. */
  TransferCounts() {
    this(null);
  }

  private TransferCounts(@Nullable TransferCounts whole) {
    this.whole = whole;
    this.requests = new Count(whole == null ? null : whole.requests);
    this.uploads = new Count(whole == null ? null : whole.uploads);
    this.uploadedBytes = new Count(whole == null ? null : whole.uploadedBytes);
    this.downloads = new Count(whole == null ? null : whole.downloads);
    this.downloadedBytes = new Count(whole == null ? null : whole.downloadedBytes);
    this.refusedDownloads = new Count(whole == null ? null : whole.refusedDownloads);
    this.metadataReads = new Count(whole == null ? null : whole.metadataReads);
    this.metadataReadBytes = new Count(whole == null ? null : whole.metadataReadBytes);
    this.tableUploads = new Count(whole == null ? null : whole.tableUploads);
    this.tableUploadedBytes = new Count(whole == null ? null : whole.tableUploadedBytes);
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
      refusedDownloads.add(1);
      throw new IllegalStateException(
          "download of " + array + " while downloads are refused; keep the data on the device");
    }
  }

  private boolean areDownloadsRefused() {
    return downloadsRefused || (whole != null && whole.areDownloadsRefused());
  }

  void requested() {
    requests.add(1);
  }

  void uploaded(long bytes) {
    uploads.add(1);
    uploadedBytes.add(bytes);
  }

  void downloaded(long bytes) {
    downloads.add(1);
    downloadedBytes.add(bytes);
  }

  void metadataRead(long bytes) {
    metadataReads.add(1);
    metadataReadBytes.add(bytes);
  }

  void tablesUploaded(long bytes) {
    tableUploads.add(1);
    tableUploadedBytes.add(bytes);
  }

  void resetMetadata() {
    metadataReads.reset();
    metadataReadBytes.reset();
    tableUploads.reset();
    tableUploadedBytes.reset();
  }

  void reset() {
    uploads.reset();
    uploadedBytes.reset();
    downloads.reset();
    downloadedBytes.reset();
    refusedDownloads.reset();
  }
}

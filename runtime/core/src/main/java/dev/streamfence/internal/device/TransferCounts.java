package dev.streamfence.internal.device;

import dev.streamfence.ReadableArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts the copies between host and device, and can forbid downloads. Thread-safe. */
final class TransferCounts {
  final LongAdder uploads = new LongAdder();
  final LongAdder uploadedBytes = new LongAdder();
  final LongAdder downloads = new LongAdder();
  final LongAdder downloadedBytes = new LongAdder();
  final LongAdder refusedDownloads = new LongAdder();
  final LongAdder metadataReads = new LongAdder();
  final LongAdder metadataReadBytes = new LongAdder();
  final LongAdder tableUploads = new LongAdder();
  final LongAdder tableUploadedBytes = new LongAdder();
  private volatile boolean downloadsRefused;

  void refuseDownloads(boolean refuse) {
    downloadsRefused = refuse;
  }

  void requireDownload(ReadableArray<?> array) {
    if (downloadsRefused) {
      refusedDownloads.increment();
      throw new IllegalStateException(
          "download of " + array + " while downloads are refused; keep the data on the device");
    }
  }

  void uploaded(long bytes) {
    uploads.increment();
    uploadedBytes.add(bytes);
  }

  void downloaded(long bytes) {
    downloads.increment();
    downloadedBytes.add(bytes);
  }

  void metadataRead(long bytes) {
    metadataReads.increment();
    metadataReadBytes.add(bytes);
  }

  void tablesUploaded(long bytes) {
    tableUploads.increment();
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

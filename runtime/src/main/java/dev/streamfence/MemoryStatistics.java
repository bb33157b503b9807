package dev.streamfence;

/**
 * The memory of a runtime and its traffic. Immutable; the byte counts are from one moment, while
 * other threads may advance the other counters.
 *
 * @param limitBytes limit on the sum of live, pending, promised and table bytes; {@link
 *     RuntimeOptions#NO_BUDGET} without a budget
 * @param liveBytes bytes of open arrays
 * @param pendingBytes bytes of closed arrays that the device may still use, and of requests in
 *     progress
 * @param promisedBytes bytes set aside by reservations and not yet drawn
 * @param peakBytes highest {@code liveBytes} since the runtime was opened, or the last {@link
 *     DeviceMemory#resetPeak}
 * @param allocationRequests requests for arrays, refused ones included
 * @param failedFrees how often closing an array failed
 * @param failedFreeBytes the bytes of those arrays, which stay live until a close succeeds
 * @param lostArrays arrays that became unreachable without being closed
 * @param uploads copies from the host, empty ones not counted
 * @param uploadedBytes their bytes
 * @param downloads copies to the host, empty ones not counted
 * @param downloadedBytes their bytes
 * @param refusedDownloads downloads refused by {@link DeviceMemory#refuseDownloads}
 * @param metadataReads reads of numbers of rows, and of lengths of adopted text, from the device;
 *     they are no downloads
 * @param metadataReadBytes their bytes
 * @param tableUploads copies of tables of addresses to the device for launches that pass arrays in
 *     tables, one for each launch that has new ones; they are no uploads
 * @param tableUploadedBytes their bytes
 * @param guardViolations writes outside arrays, or after their close, that guarded memory found
 * @param droppedLogRecords records that the allocation log did not take
 * @param pinnedBytes page-locked host memory of pinned arrays, which no budget limits
 * @param tableBytes device memory of the tables that launches pass to kernels which take any number
 *     of arrays; it is kept until the runtime is closed
 * @param adoptedBytes memory of other code that was adopted and not given back, which no budget
 *     limits; what lies within arrays of this runtime does not count again
 */
public record MemoryStatistics(
    long limitBytes,
    long liveBytes,
    long pendingBytes,
    long promisedBytes,
    long peakBytes,
    long allocationRequests,
    long failedFrees,
    long failedFreeBytes,
    long lostArrays,
    long uploads,
    long uploadedBytes,
    long downloads,
    long downloadedBytes,
    long refusedDownloads,
    long metadataReads,
    long metadataReadBytes,
    long tableUploads,
    long tableUploadedBytes,
    long guardViolations,
    long droppedLogRecords,
    long pinnedBytes,
    long tableBytes,
    long adoptedBytes) {

  /**
   * Bytes still available to a request: a hint, since other threads may be faster; never negative.
   */
  public long remainingBytes() {
    return Math.max(0, limitBytes - liveBytes - pendingBytes - promisedBytes - tableBytes);
  }
}

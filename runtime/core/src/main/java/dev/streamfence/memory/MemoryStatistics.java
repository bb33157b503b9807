package dev.streamfence.memory;

import dev.streamfence.DeviceMemory;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.MemorySnapshot;

/**
 * The memory of a runtime and its traffic. Immutable; the byte counts are from one moment, while
 * other threads may advance the other counters.
 */
public sealed interface MemoryStatistics permits MemorySnapshot {
  /**
   * Limit on the sum of live, pending, promised and table bytes; {@link RuntimeOptions#NO_BUDGET}
   * without a budget.
   */
  long limitBytes();

  /** Bytes of open arrays. */
  long liveBytes();

  /**
   * Bytes of requests in progress, and of closed arrays that the device may still use, unless the
   * caching pool has their memory.
   */
  long pendingBytes();

  /** Bytes set aside by reservations and not yet drawn. */
  long promisedBytes();

  /**
   * Most bytes of open arrays, and of closed ones that the device might still use, since the
   * runtime was opened, or the last {@link DeviceMemory#resetPeak}. Of a part of the memory: most
   * bytes of its open arrays.
   */
  long peakBytes();

  /** Requests for arrays, refused ones included. */
  long allocationRequests();

  /** How often closing an array failed. */
  long failedFrees();

  /** Bytes of the arrays whose close failed, which stay live until a close succeeds. */
  long failedFreeBytes();

  /** Arrays that became unreachable without being closed. */
  long lostArrays();

  /** Copies from the host, empty ones not counted; those of graphs count when they are launched. */
  long uploads();

  /** Bytes of the uploads. */
  long uploadedBytes();

  /** Copies to the host, empty ones not counted; those of graphs count when they are launched. */
  long downloads();

  /** Bytes of the downloads. */
  long downloadedBytes();

  /** Downloads refused by {@link DeviceMemory#refuseDownloads}. */
  long refusedDownloads();

  /**
   * Reads of numbers of rows, and of lengths of adopted text, from the device; they do not count as
   * downloads.
   */
  long metadataReads();

  /** Bytes of the metadata reads. */
  long metadataReadBytes();

  /**
   * Copies of tables of addresses to the device for launches that pass arrays in tables, one for
   * each launch that has new tables; they do not count as uploads.
   */
  long tableUploads();

  /** Bytes of the tables that were copied. */
  long tableUploadedBytes();

  /** Writes outside arrays, or after their close, that guarded memory found. */
  long guardViolations();

  /** Records that the allocation log dropped. */
  long droppedLogRecords();

  /** Page-locked host memory of pinned arrays, which no budget limits. */
  long pinnedBytes();

  /**
   * Page-locked host memory that the runtime has for itself, which no budget limits: downloads that
   * are begun, staging memory, arguments and tables, and up to 64 MiB that it keeps for the next of
   * them.
   */
  long hostPoolBytes();

  /**
   * Device memory of the tables that launches pass to kernels which take any number of arrays; it
   * is kept until the runtime is closed.
   */
  long tableBytes();

  /**
   * Memory of other code that was adopted and not given back, which no budget limits; memory within
   * arrays of this runtime does not count again.
   */
  long adoptedBytes();

  /**
   * Bytes still available to a request, within this limit and those around it; never negative; a
   * hint, since other threads may take them first.
   */
  long remainingBytes();
}

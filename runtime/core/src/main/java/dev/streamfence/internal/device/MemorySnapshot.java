package dev.streamfence.internal.device;

import dev.streamfence.memory.MemoryStatistics;

/** The implementation of {@link MemoryStatistics}. */
public record MemorySnapshot(
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
    long hostPoolBytes,
    long tableBytes,
    long adoptedBytes,
    long remainingBytes)
    implements MemoryStatistics {}

package dev.streamfence.memory;

/**
 * The caching pool of a runtime, see {@code RuntimeOptions.withCachingPool}. The figures are from
 * about one moment: other threads may allocate meanwhile.
 *
 * @param heldBytes device memory that the pool has from the driver
 * @param unusedBytes the part of it that no array has
 * @param largestUnusedBytes the largest piece that could be handed out without the driver; small
 *     against {@code unusedBytes} if the memory is fragmented
 * @param segments pieces of memory that the pool has from the driver
 * @param reuses requests that got memory which their own stream had returned, or which was known to
 *     be ready
 * @param reusesAfterWait requests that got memory which another stream had returned, after a wait
 *     of their stream for that one
 * @param driverAllocations requests for which the pool asked the driver
 * @param driverFrees segments that went back to the driver
 */
public record PoolStatistics(
    long heldBytes,
    long unusedBytes,
    long largestUnusedBytes,
    long segments,
    long reuses,
    long reusesAfterWait,
    long driverAllocations,
    long driverFrees) {
  /**
   * How much of the unused memory cannot be handed out in one piece: 0 if all of it can, close to 1
   * if it lies in many small pieces.
   */
  public double fragmentation() {
    return unusedBytes == 0 ? 0 : 1 - (double) largestUnusedBytes / unusedBytes;
  }
}

package dev.streamfence.internal.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of one segment of the caching pool arrays have. The rest is in caches and in the heap.
 * Thread-safe.
 */
final class PoolSegment {
  static final PoolSegment NONE = new PoolSegment(0);

  final long size;
  private final AtomicLong usedBytes = new AtomicLong();

  PoolSegment(long size) {
    this.size = size;
  }

  /**
   * Adds what an array gets.
   *
   * @return whether no array had any of it before
   */
  boolean use(long bytes) {
    return usedBytes.getAndAdd(bytes) == 0;
  }

  /**
   * Removes what an array had.
   *
   * @return whether no array has any of it now
   */
  boolean release(long bytes) {
    return usedBytes.addAndGet(-bytes) == 0;
  }
}

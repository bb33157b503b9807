package dev.streamfence.internal.memory;

import org.jspecify.annotations.Nullable;

/**
 * Blocks that a stream has returned, by size, for its next requests. Most come from the thread that
 * holds the stream, so its lock is seldom contended. Guarded by {@code this}.
 */
final class PoolCache {
  /** Blocks of one size that are kept apart from the heap. */
  private static final int MOST_OF_A_SIZE = 16;

  private final @Nullable PoolBlock[] newest = new PoolBlock[PoolSizes.CLASSES];
  private final byte[] counts = new byte[PoolSizes.CLASSES];
  private long bytes;
  private long reuses;

  /** Takes the latest block of a class if it has the size; null otherwise. */
  synchronized @Nullable PoolBlock take(int sizeClass, long size) {
    PoolBlock block = take(sizeClass, size, 1);
    reuses += block == null ? 0 : 1;
    return block;
  }

  /** Takes back the count of a block that no array got. */
  synchronized void notReused() {
    reuses--;
  }

  /**
   * Takes the latest block of a class for another stream, unless it is the only one, which the next
   * request of this stream may need; null if there is none of the size.
   */
  synchronized @Nullable PoolBlock takeForOther(int sizeClass, long size) {
    return take(sizeClass, size, 2);
  }

  private @Nullable PoolBlock take(int sizeClass, long size, int least) {
    PoolBlock block = newest[sizeClass];
    if (block == null || block.size != size || counts[sizeClass] < least) {
      return null;
    }
    remove(sizeClass, block);
    return block;
  }

  private void remove(int sizeClass, PoolBlock block) {
    newest[sizeClass] = block.nextCached;
    counts[sizeClass]--;
    block.nextCached = null;
    bytes -= block.size;
  }

  /** Keeps a block, unless there are enough of its size. */
  synchronized boolean offer(int sizeClass, PoolBlock block) {
    if (counts[sizeClass] == MOST_OF_A_SIZE) {
      return false;
    }
    block.nextCached = newest[sizeClass];
    newest[sizeClass] = block;
    counts[sizeClass]++;
    bytes += block.size;
    return true;
  }

  /** Takes any block; null if there is none. */
  synchronized @Nullable PoolBlock takeAny() {
    if (bytes == 0) {
      return null;
    }
    for (int sizeClass = 0; sizeClass < newest.length; sizeClass++) {
      PoolBlock block = newest[sizeClass];
      if (block != null) {
        remove(sizeClass, block);
        return block;
      }
    }
    throw new IllegalStateException(bytes + " cached bytes are in no size class");
  }

  synchronized long bytes() {
    return bytes;
  }

  /** The size of the largest block; 0 if there is none. */
  synchronized long largest() {
    long largest = 0;
    for (PoolBlock block : newest) {
      for (; block != null; block = block.nextCached) {
        largest = Math.max(largest, block.size);
      }
    }
    return largest;
  }

  synchronized long reuses() {
    return reuses;
  }
}

package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The unused blocks of the caching pool that no cache has, joined with their neighbours. Guarded by
 * {@code this}, which is not held during driver calls.
 */
final class PoolHeap {
  /** How many larger blocks a request looks at for one that needs no wait. */
  private static final int LOOKED_AT = 16;

  /** Apart, so that a small array that stays does not keep a large segment in pieces. */
  private final TreeSet<PoolBlock> unusedSmall = new TreeSet<>(PoolBlock.BY_SIZE);

  private final TreeSet<PoolBlock> unusedLarge = new TreeSet<>(PoolBlock.BY_SIZE);
  private long unusedBytes;

  /** Bytes of whole segments that are unused. */
  private long wholeBytes;

  private long heldBytes;
  private long segments;
  private long segmentsFreed;

  /**
   * Takes a block of exactly a size, which may be split from a larger one: the best fit that needs
   * no wait on the stream, or else the best fit that the stream can wait for.
   *
   * @param isSmall whether to look in the segments for small requests, or in the others
   * @param mayWait whether to take one that needs a wait
   * @return null if there is none
   */
  synchronized @Nullable PoolBlock take(
      long size, boolean isSmall, Timeline timeline, boolean mayWait) {
    PoolBlock found = null;
    int looked = 0;
    for (PoolBlock block : unused(isSmall).tailSet(PoolBlock.smallest(size, isSmall))) {
      if (block.isReadyOn(timeline)) {
        found = block;
        break;
      }
      if (mayWait && found == null && block.canBeAwaitedBy(timeline)) {
        found = block;
      }
      if (++looked >= LOOKED_AT && (found != null || !mayWait)) {
        break;
      }
    }
    if (found == null) {
      return null;
    }
    remove(found);
    if (found.size > size) {
      PoolBlock rest;
      try {
        rest = found.split(size);
      } catch (Error e) {
        insert(found);
        throw e;
      }
      insert(rest);
    }
    return found;
  }

  private NavigableSet<PoolBlock> unused(boolean isSmall) {
    return isSmall ? unusedSmall : unusedLarge;
  }

  /** Adds a new segment of the driver, whose first bytes are taken. */
  synchronized void addSegment(PoolBlock segment, long taken) {
    long bytes = segment.size;
    if (bytes > taken) {
      insert(segment.split(taken));
    }
    heldBytes += bytes;
    segments++;
  }

  /** Takes a block back, and joins it with unused neighbours. */
  synchronized void put(PoolBlock block) {
    PoolBlock joined = block;
    if (joined.after != null && joined.after.isUnused) {
      remove(joined.after);
      joined.join();
    }
    if (joined.before != null && joined.before.isUnused) {
      joined = joined.before;
      remove(joined);
      joined.join();
    }
    insert(joined);
  }

  /**
   * Takes out whole segments, the largest first, so that they go back to the driver, as long as
   * more than a number of bytes are unused.
   *
   * @param isReady whether to take those alone that need no wait on the stream, or also those that
   *     it can wait for
   * @param cachedBytes unused bytes outside of this heap
   * @param keptBytes how many unused bytes may stay
   */
  synchronized List<PoolBlock> takeSegments(
      Timeline timeline, boolean isReady, long cachedBytes, long keptBytes) {
    List<PoolBlock> taken = new ArrayList<>();
    if (wholeBytes == 0) {
      return taken;
    }
    List<PoolBlock> largestFirst = new ArrayList<>(unusedLarge.descendingSet());
    largestFirst.addAll(unusedSmall.descendingSet());
    for (PoolBlock block : largestFirst) {
      if (wholeBytes == 0 || unusedBytes + cachedBytes <= keptBytes) {
        break;
      }
      if (block.isSegment()
          && (isReady ? block.isReadyOn(timeline) : block.canBeAwaitedBy(timeline))) {
        remove(block);
        taken.add(block);
      }
    }
    return taken;
  }

  /** A segment that was taken out has gone back to the driver, as far as is known. */
  synchronized void forgetSegment(PoolBlock segment) {
    heldBytes -= segment.size;
    segments--;
    segmentsFreed++;
  }

  synchronized long unusedBytes() {
    return unusedBytes;
  }

  synchronized long largest() {
    return Math.max(
        unusedLarge.isEmpty() ? 0 : unusedLarge.last().size,
        unusedSmall.isEmpty() ? 0 : unusedSmall.last().size);
  }

  synchronized long heldBytes() {
    return heldBytes;
  }

  synchronized long segments() {
    return segments;
  }

  synchronized long segmentsFreed() {
    return segmentsFreed;
  }

  private void insert(PoolBlock block) {
    unused(block.isSmall).add(block);
    block.isUnused = true;
    unusedBytes += block.size;
    wholeBytes += block.isSegment() ? block.size : 0;
  }

  private void remove(PoolBlock block) {
    unused(block.isSmall).remove(block);
    block.isUnused = false;
    unusedBytes -= block.size;
    wholeBytes -= block.isSegment() ? block.size : 0;
  }
}

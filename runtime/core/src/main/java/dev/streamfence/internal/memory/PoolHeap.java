package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The unused blocks of the caching pool that no cache has, joined with their neighbours. Guarded by
 * {@code this}, which is not held during driver calls.
 */
final class PoolHeap {
  /** How many larger blocks a request looks at for one that needs no wait. */
  private static final int LOOKED_AT = 16;

  private final TreeSet<PoolBlock> unused = new TreeSet<>(PoolBlock.BY_SIZE);
  private long unusedBytes;
  private long heldBytes;
  private long segments;
  private long segmentsFreed;

  /**
   * Takes a block of exactly a size, which may be split from a larger one: the best fit that needs
   * no wait on the stream, or else the best fit that the stream can wait for.
   *
   * @param mayWait whether to take one of the latter
   * @return null if there is none
   */
  synchronized @Nullable PoolBlock take(long size, Timeline timeline, boolean mayWait) {
    PoolBlock found = null;
    int looked = 0;
    for (PoolBlock block : unused.tailSet(new PoolBlock(0, size))) {
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
      insert(found.split(size));
    }
    return found;
  }

  /** Adds a new segment of the driver, whose first bytes are taken. */
  synchronized void addSegment(PoolBlock segment, long taken) {
    heldBytes += segment.size;
    segments++;
    if (segment.size > taken) {
      insert(segment.split(taken));
    }
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
   * Takes out whole segments that a stream can wait for, the largest first, so that they go back to
   * the driver, as long as more than a number of bytes are unused.
   *
   * @param cachedBytes unused bytes outside of this heap
   * @param keptBytes how many unused bytes may stay
   */
  synchronized List<PoolBlock> takeSegments(Timeline timeline, long cachedBytes, long keptBytes) {
    List<PoolBlock> whole =
        new ArrayList<>(
            unused.stream()
                .filter(block -> block.isSegment() && block.canBeAwaitedBy(timeline))
                .sorted(Comparator.<PoolBlock>comparingLong(block -> block.size).reversed())
                .toList());
    List<PoolBlock> taken = new ArrayList<>();
    for (PoolBlock segment : whole) {
      if (unusedBytes + cachedBytes <= keptBytes) {
        break;
      }
      remove(segment);
      taken.add(segment);
    }
    return taken;
  }

  /** A segment that was taken out has gone back to the driver. */
  synchronized void forgetSegment(PoolBlock segment) {
    heldBytes -= segment.size;
    segments--;
    segmentsFreed++;
  }

  synchronized long unusedBytes() {
    return unusedBytes;
  }

  synchronized long largest() {
    return unused.isEmpty() ? 0 : unused.last().size;
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
    block.isUnused = true;
    unused.add(block);
    unusedBytes += block.size;
  }

  private void remove(PoolBlock block) {
    unused.remove(block);
    block.isUnused = false;
    unusedBytes -= block.size;
  }
}

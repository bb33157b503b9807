package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.order.Timeline;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a segment of the caching pool: used by an array, cached for one stream, or unused in
 * the heap. Its size and its neighbours are guarded by the heap's lock; the rest by the lock of
 * whatever has it.
 */
final class PoolBlock {
  /** Best fit first, and among equals the lowest address. */
  static final Comparator<PoolBlock> BY_SIZE =
      Comparator.<PoolBlock>comparingLong(block -> block.size)
          .thenComparingLong(block -> block.address);

  final long address;
  final boolean isSmall;

  /** The segment of which it is a piece. */
  final PoolSegment segment;

  long size;

  /** Its neighbours in the segment; null at the ends. */
  @Nullable PoolBlock before;

  @Nullable PoolBlock after;

  /** Whether the heap has it, so that a neighbour may take it in. */
  boolean isUnused;

  /**
   * The place of its allocations, which it keeps from its first return to a cache of a stream on
   * until it goes to the heap; null otherwise. Written by the thread that has the block.
   */
  LiveAllocations.@Nullable Place place;

  /** The next one in the cache of a stream. */
  @Nullable PoolBlock nextCached;

  /**
   * The points from which it may be used on every stream, one for each stream that returned a part
   * of it.
   */
  TicketMark[] marks;

  /**
   * Creates a block that is a whole segment.
   *
   * @param isSmall whether its segment is for small requests
   */
  PoolBlock(long address, long size, boolean isSmall, TicketMark... marks) {
    this(address, size, isSmall, new PoolSegment(size), marks);
  }

  /** A block of no segment, to search blocks of at least a size with. */
  static PoolBlock smallest(long size, boolean isSmall) {
    return new PoolBlock(0, size, isSmall, PoolSegment.NONE);
  }

  private PoolBlock(
      long address, long size, boolean isSmall, PoolSegment segment, TicketMark... marks) {
    this.segment = segment;
    this.address = address;
    this.size = size;
    this.isSmall = isSmall;
    this.marks = marks;
  }

  /** Whether it is a whole segment. */
  boolean isSegment() {
    return before == null && after == null;
  }

  /** Whether it needs no wait on a stream. */
  boolean isReadyOn(Timeline timeline) {
    for (TicketMark mark : marks) {
      if (!mark.isReachedOn(timeline)) {
        return false;
      }
    }
    return true;
  }

  /** Whether it needs no wait on a stream; asks the driver about the work of other ones. */
  boolean isDoneFor(Timeline timeline) {
    for (TicketMark mark : marks) {
      if (!mark.isReachedOn(timeline) && !mark.isReached()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a stream can wait for it.
   *
   * @param timeline null for any stream
   */
  boolean canBeAwaitedBy(@Nullable Timeline timeline) {
    for (TicketMark mark : marks) {
      if (mark.timeline() != timeline && !mark.isSubmitted()) {
        return false;
      }
    }
    return true;
  }

  /** Splits it: it keeps the first bytes, and the block after it gets the rest. */
  PoolBlock split(long bytes) {
    PoolBlock rest = new PoolBlock(address + bytes, size - bytes, isSmall, segment, marks);
    rest.before = this;
    rest.after = after;
    if (after != null) {
      after.before = rest;
    }
    after = rest;
    size = bytes;
    return rest;
  }

  /** Takes in the block after it. */
  void join() {
    PoolBlock next = requireNonNull(after);
    size += next.size;
    after = next.after;
    if (after != null) {
      after.before = this;
    }
    marks = union(marks, next.marks);
  }

  /** The later mark of each stream. */
  private static TicketMark[] union(TicketMark[] left, TicketMark[] right) {
    if (left == right) {
      return left;
    }
    Map<Timeline, TicketMark> latest = new LinkedHashMap<>();
    for (TicketMark[] marks : new TicketMark[][] {left, right}) {
      for (TicketMark mark : marks) {
        // What is done needs no mark, unless tools are to see the order.
        if (mark.timeline().completed() < mark.ticket()
            || mark.timeline().pool().isOrderingVisible()) {
          latest.merge(mark.timeline(), mark, (a, b) -> a.ticket() >= b.ticket() ? a : b);
        }
      }
    }
    return latest.values().toArray(TicketMark[]::new);
  }
}

package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/**
 * What a thread knows of others: for threads, warps and blocks, the number of the first group that
 * it does not know of. Immutable.
 *
 * <p>A big-endian Patricia tree, as in Okasaki and Gill, "Fast Mergeable Integer Maps": clocks that
 * threads pass on share all that they have in common, and merging two takes time for the difference
 * alone. A chain of a thousand blocks that each wait for the one before costs a few nodes per
 * block.
 */
final class Clock {
  /** The part of a warp's keys that stands for all of its threads, and of a block's first warp. */
  private static final int WHOLE_WARP = 32;

  private static final int WHOLE_BLOCK = 63;
  private static final int MEMBER_BITS = 6;

  private final long key;

  /** The bit in which the two halves differ; 0 for a leaf. */
  private final long branch;

  private final int until;
  private final @Nullable Clock zeros;
  private final @Nullable Clock ones;

  private Clock(long key, long branch, int until, @Nullable Clock zeros, @Nullable Clock ones) {
    this.key = key;
    this.branch = branch;
    this.until = until;
    this.zeros = zeros;
    this.ones = ones;
  }

  /** Knows all groups of a thread below a number. */
  static Clock ofThread(int warp, int lane, int until) {
    return new Clock((long) warp << MEMBER_BITS | lane, 0, until, null, null);
  }

  /** Knows all groups of a warp below a number. */
  static Clock ofWarp(int warp, int until) {
    return new Clock((long) warp << MEMBER_BITS | WHOLE_WARP, 0, until, null, null);
  }

  /** Knows all groups of a block below a number. */
  static Clock ofBlock(int block, int until) {
    return new Clock(blockKey(block), 0, until, null, null);
  }

  private static long blockKey(int block) {
    return (long) BlockOrder.firstWarp(block) << MEMBER_BITS | WHOLE_BLOCK;
  }

  boolean knows(int warp, int lane, int group) {
    return group < until(blockKey(BlockOrder.ofWarp(warp)))
        || group < until((long) warp << MEMBER_BITS | WHOLE_WARP)
        || group < until((long) warp << MEMBER_BITS | lane);
  }

  private int until(long wanted) {
    Clock at = this;
    while (at != null && at.branch != 0) {
      at = (wanted & at.branch) == 0 ? at.zeros : at.ones;
    }
    return at != null && at.key == wanted ? at.until : 0;
  }

  /** Knows what either knows; null knows nothing. */
  static @Nullable Clock merge(@Nullable Clock a, @Nullable Clock b) {
    if (a == b || b == null) {
      return a;
    }
    if (a == null) {
      return b;
    }
    if (a.branch == 0 && b.branch == 0 && a.key == b.key) {
      return a.until >= b.until ? a : b;
    }
    if (a.branch == b.branch && a.key == b.key) {
      return both(a, b, merge(a.zeros, b.zeros), merge(a.ones, b.ones));
    }
    if (a.contains(b)) {
      return a.with(b);
    }
    if (b.contains(a)) {
      return b.with(a);
    }
    long differs = Long.highestOneBit(a.key ^ b.key);
    long prefix = a.key & -(differs << 1);
    return (a.key & differs) == 0
        ? new Clock(prefix, differs, 0, a, b)
        : new Clock(prefix, differs, 0, b, a);
  }

  /** One of two trees over the same keys if its halves are the merged ones, or else a new tree. */
  private static Clock both(Clock a, Clock b, @Nullable Clock zeros, @Nullable Clock ones) {
    if (zeros == a.zeros && ones == a.ones) {
      return a;
    }
    return zeros == b.zeros && ones == b.ones ? b : new Clock(a.key, a.branch, 0, zeros, ones);
  }

  /** Whether the other's keys all belong into one half of this tree. */
  private boolean contains(Clock other) {
    return branch != 0
        && Long.compareUnsigned(branch, other.branch) > 0
        && (other.key & -(branch << 1)) == key;
  }

  private Clock with(Clock other) {
    boolean below = (other.key & branch) == 0;
    return both(this, this, below ? merge(zeros, other) : zeros, below ? ones : merge(ones, other));
  }
}

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

  /** A node with a higher bit has keys of several blocks below it. */
  private static final long LAST_BRANCH_IN_BLOCK =
      (long) BlockOrder.firstWarp(1) << MEMBER_BITS >> 1;

  private final long key;

  /** The bit in which the two halves differ; 0 for a leaf. */
  private final long branch;

  private final int until;
  private final @Nullable Clock zeros;
  private final @Nullable Clock ones;

  /** The chain to which this clock belongs, and its place there; null for none. */
  private @Nullable Chain chain;

  private int place;

  /** Clocks of which each includes the ones before it. */
  private static final class Chain {
    private @Nullable Clock last;
  }

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

  /**
   * Knows the groups of each lane of a warp below a number of its own.
   *
   * @param until that number for each lane; 0 for none
   * @param size how many lanes the warp has
   */
  static @Nullable Clock ofLanes(int warp, int[] until, int size) {
    for (int lane = 1; lane < size; lane++) {
      if (until[lane] != until[0]) {
        return ofLanes((long) warp << MEMBER_BITS, until, 0, until.length);
      }
    }
    return until[0] == 0 ? null : ofWarp(warp, until[0]);
  }

  private static @Nullable Clock ofLanes(long warpKey, int[] until, int from, int count) {
    if (count == 1) {
      return until[from] == 0 ? null : new Clock(warpKey | from, 0, until[from], null, null);
    }
    int half = count / 2;
    Clock zeros = ofLanes(warpKey, until, from, half);
    Clock ones = ofLanes(warpKey, until, from + half, half);
    if (zeros == null || ones == null) {
      return zeros == null ? ones : zeros;
    }
    return new Clock(warpKey | from, half, 0, zeros, ones);
  }

  private static long blockKey(int block) {
    return (long) BlockOrder.firstWarp(block) << MEMBER_BITS | WHOLE_BLOCK;
  }

  boolean knows(int warp, int lane, int group) {
    long its = (long) warp << MEMBER_BITS;
    Clock ofBlock = this;
    while (ofBlock != null && ofBlock.branch > LAST_BRANCH_IN_BLOCK) {
      ofBlock = (its & ofBlock.branch) == 0 ? ofBlock.zeros : ofBlock.ones;
    }
    return ofBlock != null
        && (group < ofBlock.until(blockKey(BlockOrder.ofWarp(warp)))
            || group < ofBlock.until(its | WHOLE_WARP)
            || group < ofBlock.until(its | lane));
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
    if (a.chain != null && a.chain == b.chain) {
      return a.place >= b.place ? a : b;
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

  /**
   * Returns a clock that knows the same, and is known to include another one. Merging it with that
   * one, or with one that was noted for that one in the same way, takes no time: threads that count
   * each other at a barrier merge nothing but such clocks.
   *
   * @param included a clock that this one includes; null for none
   */
  Clock noting(@Nullable Clock included) {
    if (this == included) {
      return this;
    }
    Clock noted = new Clock(key, branch, until, zeros, ones);
    Chain known = included == null ? null : included.chain;
    // More than one clock may be made of the same one; only the first goes on with its chain.
    if (included != null && known != null && known.last == included) {
      noted.chain = known;
      noted.place = included.place + 1;
    } else {
      noted.chain = new Chain();
    }
    noted.chain.last = noted;
    return noted;
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

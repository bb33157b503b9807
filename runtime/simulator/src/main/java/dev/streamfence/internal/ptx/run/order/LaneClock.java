package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/**
 * What lanes of a warp know of its lanes by a barrier at which not all of them met: for each lane
 * the group below which they know all. The lanes that met share it, and take it on if they meet
 * again; everything else copies it. Confined to the thread that runs the launch.
 */
final class LaneClock {
  private final int members;
  private final int[] until = new int[AccessGroups.LANES];

  /**
   * Creates a clock that knows nothing.
   *
   * @param members the lanes that share it
   */
  LaneClock(int members) {
    this.members = members;
  }

  /** Whether it is what exactly these lanes share, if each of them has it. */
  boolean isOf(int lanes) {
    return members == lanes;
  }

  int until(int lane) {
    return until[lane];
  }

  /** Returns what it knows now. */
  LaneClock copy() {
    LaneClock copy = new LaneClock(members);
    copy.learn(this);
    return copy;
  }

  /** Adds what another clock knows. */
  void learn(LaneClock other) {
    for (int lane = 0; lane < until.length; lane++) {
      until[lane] = Math.max(until[lane], other.until[lane]);
    }
  }

  /** Knows all groups of its own lanes below a number. */
  void met(int group) {
    for (int rest = members; rest != 0; rest &= rest - 1) {
      until[Integer.numberOfTrailingZeros(rest)] = group;
    }
  }

  /** Raises the numbers of some lanes to what it knows of them. */
  void addTo(int[] known) {
    for (int lane = 0; lane < known.length; lane++) {
      known[lane] = Math.max(known[lane], until[lane]);
    }
  }

  /** Returns the same as a clock of threads of other warps. */
  @Nullable Clock ofWarp(int warp, int size) {
    return Clock.ofLanes(warp, until, size);
  }
}

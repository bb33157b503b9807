package dev.streamfence.internal.ptx.run.order;

import java.util.Arrays;

/**
 * Numbers the accesses of a launch. A group is what one instruction does in one warp until the next
 * synchronisation of a thread there; an access is its group's number and its lane, in 32 bits. The
 * numbers rise as the launch runs, so that "all accesses before a moment" is one number as well.
 * Group 0 is none. Confined to the thread that runs the launch.
 */
final class AccessGroups {
  static final int LANE_BITS = 5;
  static final int LANES = 1 << LANE_BITS;

  /** The groups that 27 bits can number: about four billion accesses by different threads. */
  private static final int MOST = 1 << (Integer.SIZE - LANE_BITS);

  /** What a group takes of the heap, and once more while the arrays are copied. */
  static final int BYTES = 4 * Integer.BYTES;

  private int next = 1;
  private int[] warps = new int[64];
  private int[] sites = new int[64];

  /** The number that the next group gets: those of all accesses so far are below it. */
  int next() {
    return next;
  }

  /** Starts a group; 0 if there are too many. */
  int begin(int warp, int site) {
    if (next == MOST) {
      return 0;
    }
    if (next == warps.length) {
      int length = Math.min(MOST, next * 2);
      warps = Arrays.copyOf(warps, length);
      sites = Arrays.copyOf(sites, length);
    }
    warps[next] = warp;
    sites[next] = site;
    return next++;
  }

  int warp(int group) {
    return warps[group];
  }

  int site(int group) {
    return sites[group];
  }
}

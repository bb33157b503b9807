package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.LaunchObserver.Use;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The uses that a launch declares, by address: a kernel touches memory far more often than a launch
 * has uses, and a table of columns has thousands. Immutable.
 */
final class UseIndex {
  private final List<Use> sorted;

  /** For each use, the highest end of it and all uses before it. */
  private final long[] ends;

  UseIndex(List<Use> uses) {
    sorted = uses.stream().sorted(Comparator.comparingLong(Use::address)).toList();
    ends = new long[sorted.size()];
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < ends.length; i++) {
      highest = Math.max(highest, end(sorted.get(i)));
      ends[i] = highest;
    }
  }

  /** The uses that begin within a range of addresses. */
  List<Use> within(long begin, long end) {
    int from = countBelow(begin);
    int to = countBelow(end);
    return sorted.subList(from, Math.max(from, to));
  }

  /** Whether a use has all bytes of a range. */
  boolean covers(long address, int bytes) {
    for (int i = countBelow(address + 1) - 1; i >= 0 && ends[i] > address; i--) {
      if (address + bytes <= end(sorted.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** The use of a range that is nearest to an address; null if none begins within. */
  @Nullable Use nearest(long address, long begin, long end) {
    Use nearest = null;
    for (Use use : within(begin, end)) {
      if (nearest == null || Submitted.isNearer(use, nearest, address)) {
        nearest = use;
      }
    }
    return nearest;
  }

  private static long end(Use use) {
    return use.address() + use.bytes();
  }

  /** How many uses begin below an address. */
  private int countBelow(long address) {
    int low = 0;
    int high = ends.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted.get(middle).address() < address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

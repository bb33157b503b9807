package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Node.Special;
import java.util.Set;

/**
 * The launches that a declaration allows.
 *
 * @param x the threads of a block in x if all launches have as many, otherwise 0
 * @param isOneDimensional whether no launch has several threads or blocks in y or z
 * @param mayAlias whether several parameters may be the same memory
 */
public record LaunchSpace(int x, int y, int z, boolean isOneDimensional, boolean mayAlias) {
  /** All launches of a kernel whose arrays do not overlap. */
  public static final LaunchSpace ANY = new LaunchSpace(0, 0, 0, false, false);

  int threads(int dimension) {
    int fixed = dimension == 0 ? x : dimension == 1 ? y : z;
    return fixed == 0 && dimension > 0 && isOneDimensional ? 1 : fixed;
  }

  /** Whether launches have several threads in a dimension even if the code does not show it. */
  boolean hasSeveralThreads(int dimension) {
    return threads(dimension) > 1 || (isOneDimensional && dimension == 0 && x == 0);
  }

  /** Whether launches have several blocks in a dimension even if the code does not show it. */
  boolean hasSeveralBlocks(int dimension) {
    return isOneDimensional && dimension == 0;
  }

  /**
   * How many dimensions of blocks may have several threads, at least 1, for x; code that does not
   * show several in a dimension is written for one thread there.
   */
  int dimensions(Set<Special> shown) {
    int found = 3;
    while (found > 1 && isFlat(found - 1, shown)) {
      found--;
    }
    return found;
  }

  private boolean isFlat(int dimension, Set<Special> shown) {
    Special index = Special.thread(dimension);
    return isFlat(index) || (!hasSeveralThreads(dimension) && !shown.contains(index));
  }

  /** Whether launches have one thread, or one block, in the dimension of an index. */
  boolean isFlat(Special index) {
    return index.isThread
        ? threads(index.dimension) == 1
        : index.isBlock && isOneDimensional && index.dimension > 0;
  }
}

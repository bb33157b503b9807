package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Node.Special;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * An ordinary launch to try: blocks of an ordinary shape, several of them in the dimensions in
 * which the code shows that there are, and a number for each argument that is larger than the
 * launch. Immutable.
 */
final class TrialLaunch {
  // A small one first: it excludes most accesses.
  private static final int[][] LINES = {{32}, {64}, {96}, {128}, {256}, {160}};

  // Code that reads an index in y may still be written for blocks of one row, the last ones here.
  private static final int[][] PLANES = {{8, 8}, {16, 16}, {32, 8}, {16, 4}, {32, 4}, {128, 1}};
  private static final int[][] CUBES = {
    {4, 4, 4}, {8, 8, 4}, {8, 4, 8}, {16, 4, 4}, {32, 2, 2}, {64, 1, 1}
  };

  /** How many shapes there are for blocks of any size. */
  static final int SHAPES = 6;

  /** How many sets of arguments there are. */
  static final int SEEDS = 32;

  private final int[] block = {1, 1, 1};
  private final int[] grid = {1, 1, 1};
  private final int seed;

  /**
   * Creates a launch.
   *
   * @param shown the indices of the dimensions in which places and values, or the code otherwise,
   *     show that there are several
   * @param shape which of the shapes, from 0 on
   * @param seed which of the arguments, from 0, less than {@link #SEEDS}
   */
  TrialLaunch(Set<Special> shown, LaunchSpace space, int shape, int seed) {
    this.seed = seed;
    int[] threads =
        shown.contains(Special.TID_Z)
            ? CUBES[shape]
            : shown.contains(Special.TID_Y) ? PLANES[shape] : LINES[shape];
    for (int i = 0; i < 3; i++) {
      // Code that shows no several threads in a dimension is written for one.
      boolean hasThreads = shown.contains(Special.thread(i));
      int size = i < threads.length ? threads[i] : 1;
      block[i] = !hasThreads ? 1 : space.threads(i) > 0 ? space.threads(i) : size;
      boolean hasBlocks = shown.contains(Special.block(i));
      // Even and odd numbers of blocks, and never one block.
      int blocks = shape % 2 == (i == 0 ? 0 : 1) ? 3 : 2;
      grid[i] = hasBlocks && !(space.isOneDimensional() && i > 0) ? blocks : 1;
    }
  }

  int threads() {
    return block[0] * block[1] * block[2];
  }

  int size() {
    return threads() * grid[0] * grid[1] * grid[2];
  }

  /**
   * Numbers that rise with the index, that are all the same power of two, that fall, that are all
   * one less than a power of two, and that look random, so that few conditions on their bits or
   * remainders hold for all.
   */
  long argument(int index) {
    return switch (seed) {
      case 0, 1, 2 -> 4099 + 131L * index + 17L * (index + 3) * seed;
      case 3 -> 1 << 16;
      case 4 -> Math.max(5000, 9000 - 131L * index);
      case 5 -> (1 << 16) - 1;
      default -> new SplittableRandom(31L * index + seed).nextInt(5000, 1 << 16);
    };
  }

  long special(Special special, int number) {
    int[] sizes = special.isBlock || special.countsBlocks ? grid : block;
    if (!special.isThread && !special.isBlock) {
      return sizes[special.dimension];
    }
    int place = special.isThread ? number % threads() : number / threads();
    for (int i = 0; i < special.dimension; i++) {
      place /= sizes[i];
    }
    return place % sizes[special.dimension];
  }
}

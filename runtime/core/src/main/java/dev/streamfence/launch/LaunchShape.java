package dev.streamfence.launch;

/**
 * The threads of a launch: a grid of blocks, each with the same number of threads, in up to three
 * dimensions. Immutable.
 *
 * @param gridX blocks in x; 0 in any dimension launches nothing
 * @param gridY blocks in y
 * @param gridZ blocks in z
 * @param blockX threads per block in x, at least 1
 * @param blockY threads per block in y, at least 1
 * @param blockZ threads per block in z, at least 1
 * @param dynamicSharedBytes bytes of dynamic shared memory per block
 */
public record LaunchShape(
    int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int dynamicSharedBytes) {

  /**
   * Checks that no size is negative and no block is empty. The launch checks the device's limits.
   *
   * @throws IllegalArgumentException if a size is negative or a block is empty
   */
  public LaunchShape {
    if (gridX < 0 || gridY < 0 || gridZ < 0) {
      throw new IllegalArgumentException(
          "grid " + gridX + " × " + gridY + " × " + gridZ + " has a negative size");
    }
    if (blockX < 1 || blockY < 1 || blockZ < 1) {
      throw new IllegalArgumentException(
          "block "
              + blockX
              + " × "
              + blockY
              + " × "
              + blockZ
              + " has no threads; each size is at least 1");
    }
    if (dynamicSharedBytes < 0) {
      throw new IllegalArgumentException(
          dynamicSharedBytes + " bytes of dynamic shared memory; the size is at least 0");
    }
  }

  /**
   * A one-dimensional shape.
   *
   * @throws IllegalArgumentException if the grid is negative or the block is empty
   */
  public static LaunchShape of(int gridX, int blockX) {
    return new LaunchShape(gridX, 1, 1, blockX, 1, 1, 0);
  }

  /**
   * A two-dimensional shape.
   *
   * @throws IllegalArgumentException if a size of the grid is negative or the block is empty
   */
  public static LaunchShape of(int gridX, int gridY, int blockX, int blockY) {
    return new LaunchShape(gridX, gridY, 1, blockX, blockY, 1, 0);
  }

  /**
   * The smallest one-dimensional shape with at least {@code threads} threads.
   *
   * @throws IllegalArgumentException if {@code threads} is negative or needs more blocks than an
   *     {@code int} counts, or {@code blockSize} is less than 1
   */
  public static LaunchShape covering(long threads, int blockSize) {
    if (blockSize < 1) {
      throw new IllegalArgumentException("a block of " + blockSize + " threads; it has at least 1");
    }
    if (threads < 0) {
      throw new IllegalArgumentException(
          "the number of threads is " + threads + "; a launch has at least 0 threads");
    }
    long blocks = -Math.floorDiv(-threads, (long) blockSize);
    if (blocks > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          threads
              + " threads are "
              + blocks
              + " blocks of "
              + blockSize
              + "; a grid has at most "
              + Integer.MAX_VALUE);
    }
    return of((int) blocks, blockSize);
  }

  /**
   * The same shape with dynamic shared memory.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public LaunchShape withDynamicSharedBytes(int bytes) {
    return new LaunchShape(gridX, gridY, gridZ, blockX, blockY, blockZ, bytes);
  }

  @Override
  public String toString() {
    return "grid "
        + gridX
        + " × "
        + gridY
        + " × "
        + gridZ
        + ", block "
        + blockX
        + " × "
        + blockY
        + " × "
        + blockZ
        + (dynamicSharedBytes == 0
            ? ""
            : ", " + dynamicSharedBytes + " bytes of dynamic shared memory");
  }
}

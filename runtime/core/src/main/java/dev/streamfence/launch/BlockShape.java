package dev.streamfence.launch;

/**
 * The threads of a block in three dimensions. Immutable.
 *
 * @param x threads in x, at least 1
 * @param y threads in y, at least 1
 * @param z threads in z, at least 1
 */
public record BlockShape(int x, int y, int z) {
  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException if one is less than 1
   */
  public BlockShape {
    if (x < 1 || y < 1 || z < 1) {
      throw new IllegalArgumentException(
          "a block of " + x + " x " + y + " x " + z + " threads; each size is at least 1");
    }
  }

  /** Whether it has these sizes. */
  public boolean is(int blockX, int blockY, int blockZ) {
    return x == blockX && y == blockY && z == blockZ;
  }

  @Override
  public String toString() {
    return x + " x " + y + " x " + z;
  }
}

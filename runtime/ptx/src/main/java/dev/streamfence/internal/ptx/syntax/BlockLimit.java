package dev.streamfence.internal.ptx.syntax;

/**
 * The block sizes that an entry allows. Immutable.
 *
 * <p>Source: PTX ISA, "Performance-Tuning Directives": {@code .maxntid} bounds the product of the
 * three extents, {@code .reqntid} fixes each of them.
 *
 * @param x threads in x
 * @param y threads in y, 1 if the directive omits it
 * @param z threads in z, 1 if the directive omits it
 * @param exact whether a block must have exactly this shape ({@code .reqntid}), or may have fewer
 *     threads and another shape ({@code .maxntid})
 */
public record BlockLimit(int x, int y, int z, boolean exact) {
  /**
   * Checks the extents.
   *
   * @throws IllegalArgumentException if one is below 1, or their product exceeds an {@code int}
   */
  public BlockLimit {
    if (x < 1 || y < 1 || z < 1 || (long) x * y > Integer.MAX_VALUE / z) {
      throw new IllegalArgumentException("a block of " + x + " x " + y + " x " + z + " threads");
    }
  }

  /**
   * Returns the maximum number of threads of a block.
   *
   * @return the product of the three extents
   */
  public int threads() {
    return x * y * z;
  }

  /**
   * Tells whether a block is within the limit.
   *
   * @param blockX threads in x
   * @param blockY threads in y
   * @param blockZ threads in z
   */
  public boolean allows(int blockX, int blockY, int blockZ) {
    return exact
        ? blockX == x && blockY == y && blockZ == z
        : (long) blockX * blockY * blockZ <= threads();
  }

  /** Returns the limit as text, such as {@code 256} or {@code exactly 16 x 16 x 1}. */
  @Override
  public String toString() {
    return exact ? "exactly " + x + " x " + y + " x " + z : String.valueOf(threads());
  }
}

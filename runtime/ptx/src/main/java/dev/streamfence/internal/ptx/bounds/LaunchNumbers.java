package dev.streamfence.internal.ptx.bounds;

/** The numbers of one launch that its kernel's bounds depend on. */
public interface LaunchNumbers {
  /**
   * Returns a number that the launch passes.
   *
   * @param argument its index among {@code KernelBounds.arguments}
   * @return the number, sign-extended from its width
   */
  long argument(int argument);

  /**
   * Returns the number of elements of an array; the greatest number if it is unknown, so that it
   * limits nothing.
   *
   * @param array its index among {@code KernelBounds.arrays}
   */
  default long length(int array) {
    return Long.MAX_VALUE;
  }

  /** Returns the threads of a block in a dimension, 0 for x to 2 for z. */
  int block(int dimension);

  /** Returns the blocks of the grid in a dimension, 0 for x to 2 for z. */
  int grid(int dimension);
}

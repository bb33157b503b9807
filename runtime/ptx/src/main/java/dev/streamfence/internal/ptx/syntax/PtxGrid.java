package dev.streamfence.internal.ptx.syntax;

/**
 * The shape of one launch. Immutable.
 *
 * @param gridX blocks along x
 * @param gridY blocks along y
 * @param gridZ blocks along z
 * @param blockX threads of a block along x
 * @param blockY threads of a block along y
 * @param blockZ threads of a block along z
 * @param dynamicSharedBytes shared memory of a block beyond what the kernel declares
 */
public record PtxGrid(
    int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int dynamicSharedBytes) {
  /** The most threads that any CUDA device runs as one block. */
  public static final int MAX_BLOCK_THREADS = 1024;

  private static final int MAX_SHARED_BYTES = 1 << 24;

  /**
   * Checks the shape.
   *
   * @throws IllegalArgumentException if a length is below 1, if a block has more than {@value
   *     #MAX_BLOCK_THREADS} threads, or if the shared memory is negative or beyond 16 MiB
   */
  public PtxGrid {
    if (gridX < 1 || gridY < 1 || gridZ < 1) {
      throw new IllegalArgumentException(
          "a grid of " + gridX + " x " + gridY + " x " + gridZ + " blocks; each must be 1 or more");
    }
    if (blockX < 1
        || blockY < 1
        || blockZ < 1
        || Math.multiplyFull(blockX, blockY) > MAX_BLOCK_THREADS
        || blockX * blockY > MAX_BLOCK_THREADS / blockZ) {
      throw new IllegalArgumentException(
          "a block of "
              + (blockX + " x " + blockY + " x " + blockZ)
              + " threads; it must have 1 to "
              + MAX_BLOCK_THREADS);
    }
    if (dynamicSharedBytes < 0 || dynamicSharedBytes > MAX_SHARED_BYTES) {
      throw new IllegalArgumentException(
          dynamicSharedBytes + " bytes of shared memory; it must be 0 to " + MAX_SHARED_BYTES);
    }
  }

  /** The threads of one block. */
  public int blockThreads() {
    return blockX * blockY * blockZ;
  }
}

package dev.streamfence.launch;

import dev.streamfence.LaunchShape;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;

/**
 * The grid and blocks of one launch, set again for every launch. Confined to the thread that holds
 * the submission lock.
 */
final class LaunchGrid {
  private final LoadedKernel kernel;
  private final KernelSignature signature;
  private final String threadsInWords;
  private boolean shaped;
  private int gridX;
  private int gridY;
  private int gridZ;
  private int blockX;
  private int blockY;
  private int blockZ;
  private int dynamicShared;

  LaunchGrid(LoadedKernel kernel) {
    this.kernel = kernel;
    this.signature = kernel.signature();
    String name = signature.threadCount();
    this.threadsInWords =
        signature.entry()
            + ": "
            + (name.isEmpty() ? "the number of threads" : "parameter '" + name + "'");
  }

  /** Forgets the last launch. */
  void clear() {
    shaped = false;
    dynamicShared = signature.dynamicSharedBytes();
  }

  void threads(long threads) {
    int block = signature.blockSize();
    long blocks = LaunchShape.blocks(threadsInWords, threads, block);
    if (blocks > Integer.MAX_VALUE) {
      kernel.requireLaunchable(blocks, 1, 1, block, 1, 1, dynamicShared);
    }
    set((int) blocks, 1, 1, block, 1, 1);
  }

  void shape(LaunchShape shape) {
    if (shape == null) {
      throw new IllegalArgumentException(
          signature.entry() + ": parameter '" + signature.launchShape() + "' is null");
    }
    dynamicShared = shape.dynamicSharedBytes();
    set(
        shape.gridX(),
        shape.gridY(),
        shape.gridZ(),
        shape.blockX(),
        shape.blockY(),
        shape.blockZ());
  }

  void dynamicSharedBytes(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          signature.entry()
              + ": parameter '"
              + signature.dynamicSharedBytesParameter()
              + "' is "
              + bytes
              + "; dynamic shared memory has at least 0 bytes");
    }
    dynamicShared = bytes;
  }

  /** Refuses a launch without a shape, or with one that the device would refuse. */
  void requireLaunchable() {
    if (!shaped) {
      throw new IllegalArgumentException(
          signature.entry() + ": neither threads nor a shape was passed");
    }
    kernel.requireLaunchable(gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicShared);
  }

  /** Whether there is nothing to launch. */
  boolean isEmpty() {
    return gridX == 0 || gridY == 0 || gridZ == 0;
  }

  void launch(CudaDriver driver, StreamHandle stream, HostMemory arguments) {
    driver.launchKernel(
        kernel.function(),
        signature.isCooperative(),
        gridX,
        gridY,
        gridZ,
        blockX,
        blockY,
        blockZ,
        dynamicShared,
        stream,
        arguments);
  }

  private void set(
      int newGridX, int newGridY, int newGridZ, int newBlockX, int newBlockY, int newBlockZ) {
    gridX = newGridX;
    gridY = newGridY;
    gridZ = newGridZ;
    blockX = newBlockX;
    blockY = newBlockY;
    blockZ = newBlockZ;
    shaped = true;
  }
}

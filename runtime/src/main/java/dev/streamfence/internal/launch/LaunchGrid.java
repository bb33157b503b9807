package dev.streamfence.internal.launch;

import dev.streamfence.LaunchShape;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.launch.KernelSignature;

/**
 * The grid and blocks of one launch, set again for every launch. Confined to the thread that holds
 * the submission lock.
 */
final class LaunchGrid {
  private final LoadedKernel kernel;
  private final KernelSignature signature;
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
    this.dynamicShared = signature.dynamicSharedBytes();
  }

  /**
   * Shapes the launch by a number of threads.
   *
   * @param use the parameter that counts them, for errors
   */
  void threads(String use, int blockSize, long threads) {
    long blocks = LaunchShape.blocks(use, threads, blockSize);
    if (blocks > Integer.MAX_VALUE) {
      kernel.requireLaunchable(blocks, 1, 1, blockSize, 1, 1, dynamicShared);
    }
    set((int) blocks, 1, 1, blockSize, 1, 1);
  }

  void shape(LaunchShape shape) {
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
    dynamicShared = bytes;
  }

  /** Refuses a launch that the device would refuse. */
  void requireLaunchable() {
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
  }
}

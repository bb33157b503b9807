package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.LaunchShape;

/**
 * The grids of kernels whose blocks loop over the rows, a tile at a time: no more blocks than the
 * device can hold, since each one costs a reduction and an atomic operation at its end.
 */
final class RowGrid {
  /** Threads of a block, as in the {@code .cu} files. */
  static final int BLOCK_SIZE = 256;

  /** The rows that a block loads at a time, as in the {@code .cu} files. */
  private static final int ROWS_PER_TILE = 1024;

  private RowGrid() {}

  /**
   * The grid for a number of rows: a block for each tile, up to those that run at the same time.
   *
   * @param occupancy of the kernel
   */
  static LaunchShape of(DeviceStream stream, KernelOccupancy occupancy, long rows) {
    long tiles = (rows + ROWS_PER_TILE - 1) / ROWS_PER_TILE;
    long resident =
        (long) stream.runtime().info().multiprocessors()
            * occupancy.blocksPerMultiprocessor(BLOCK_SIZE, 0);
    return LaunchShape.of(Math.toIntExact(Math.min(tiles, Math.max(1, resident))), BLOCK_SIZE);
  }
}

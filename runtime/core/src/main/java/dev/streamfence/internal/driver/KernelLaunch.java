package dev.streamfence.internal.driver;

import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.simulation.DriverCall;

/**
 * One launch of a kernel as it goes down to the device. A recorder reuses it: only the stream, the
 * grid, the blocks and the dynamic shared memory change from launch to launch. Holds one block of
 * one thread at first. Mutable; confined to the thread that holds the stream's submission lock.
 */
public final class KernelLaunch {
  private final FunctionHandle function;
  private final boolean cooperative;
  private StreamHandle stream;
  private final HostMemory parameters;
  private int gridX = 1;
  private int gridY = 1;
  private int gridZ = 1;
  private int blockX = 1;
  private int blockY = 1;
  private int blockZ = 1;
  private int dynamicSharedBytes;

  /** Whether the shape is another one than at the last {@link #keepShape}. */
  private boolean isShapeNew = true;

  /**
   * Creates a launch.
   *
   * @param cooperative whether all blocks run at the same time, so they may wait for each other; a
   *     grid that the device cannot hold at once is an error
   * @param parameters native memory that starts with a table of the arguments' addresses, one
   *     {@code void*} each
   */
  public KernelLaunch(
      FunctionHandle function, boolean cooperative, StreamHandle stream, HostMemory parameters) {
    this.function = function;
    this.cooperative = cooperative;
    this.stream = stream;
    this.parameters = parameters;
  }

  /** The same launch with arguments of its own. */
  public KernelLaunch with(HostMemory arguments) {
    return new KernelLaunch(function, cooperative, stream, arguments)
        .grid(gridX, gridY, gridZ)
        .block(blockX, blockY, blockZ)
        .dynamicSharedBytes(dynamicSharedBytes);
  }

  /** Sets the stream: that of a timeline may be exchanged between two launches. */
  public KernelLaunch stream(StreamHandle next) {
    // A comparison is cheaper than storing a reference.
    if (stream != next) {
      stream = next;
    }
    return this;
  }

  /** Sets the number of blocks in each dimension. */
  public KernelLaunch grid(int x, int y, int z) {
    isShapeNew |= gridX != x || gridY != y || gridZ != z;
    gridX = x;
    gridY = y;
    gridZ = z;
    return this;
  }

  /** Sets the number of threads per block in each dimension. */
  public KernelLaunch block(int x, int y, int z) {
    isShapeNew |= blockX != x || blockY != y || blockZ != z;
    blockX = x;
    blockY = y;
    blockZ = z;
    return this;
  }

  /** Sets the dynamic shared memory per block, in bytes. */
  public KernelLaunch dynamicSharedBytes(int bytes) {
    isShapeNew |= dynamicSharedBytes != bytes;
    dynamicSharedBytes = bytes;
    return this;
  }

  /**
   * Whether the grid, the blocks or the dynamic shared memory have changed since the last {@link
   * #keepShape}: what was found out about them may not hold.
   */
  public boolean isShapeNew() {
    return isShapeNew;
  }

  /** Says that what depends on the shape has been found out. */
  public void keepShape() {
    isShapeNew = false;
  }

  /** The kernel. */
  public FunctionHandle function() {
    return function;
  }

  /** Whether all blocks run at the same time. */
  public boolean isCooperative() {
    return cooperative;
  }

  /** The driver call that it takes. */
  public DriverCall call() {
    return cooperative ? DriverCall.LAUNCH_COOPERATIVE_KERNEL : DriverCall.LAUNCH_KERNEL;
  }

  /** The stream. */
  public StreamHandle stream() {
    return stream;
  }

  /** The table of the arguments' addresses. */
  public HostMemory parameters() {
    return parameters;
  }

  /** Blocks in x. */
  public int gridX() {
    return gridX;
  }

  /** Blocks in y. */
  public int gridY() {
    return gridY;
  }

  /** Blocks in z. */
  public int gridZ() {
    return gridZ;
  }

  /** Threads per block in x. */
  public int blockX() {
    return blockX;
  }

  /** Threads per block in y. */
  public int blockY() {
    return blockY;
  }

  /** Threads per block in z. */
  public int blockZ() {
    return blockZ;
  }

  /** Dynamic shared memory per block, in bytes. */
  public int dynamicSharedBytes() {
    return dynamicSharedBytes;
  }

  /** Its shape in words, such as {@code grid 4 x 1 x 1 of 256 x 1 x 1}. */
  public String shape() {
    return "grid "
        + inWords(gridX, gridY, gridZ)
        + " of "
        + inWords(blockX, blockY, blockZ)
        + (dynamicSharedBytes > 0 ? ", " + dynamicSharedBytes + " bytes shared" : "");
  }

  private static String inWords(int x, int y, int z) {
    return x + " x " + y + " x " + z;
  }

  /** How many blocks it has. */
  public long blocks() {
    return (long) gridX * gridY * gridZ;
  }

  /** How many threads a block has. */
  public long threadsPerBlock() {
    return (long) blockX * blockY * blockZ;
  }
}

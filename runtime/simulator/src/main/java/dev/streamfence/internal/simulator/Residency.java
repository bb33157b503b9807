package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.DeviceProperties;

/**
 * The occupancy of one multiprocessor: how many blocks it holds at the same time. Registers do not
 * count, since PTX does not tell how many a kernel takes. Stateless.
 *
 * <p>Source: the calculator that CUDA publishes as {@code cuda_occupancy.h}.
 */
final class Residency {
  private Residency() {}

  /** How many blocks one multiprocessor holds; 0 if not even one fits. */
  static int blocks(DeviceProperties device, int blockThreads, long sharedBytesPerBlock) {
    int warpsPerMultiprocessor = device.maxThreadsPerMultiprocessor() / device.warpSize();
    int warps = (blockThreads + device.warpSize() - 1) / device.warpSize();
    long byShared =
        device.sharedBytesPerMultiprocessor()
            / Math.max(1, sharedBytesPerBlock + device.reservedSharedBytesPerBlock());
    return (int)
        Math.min(
            Math.min(device.maxBlocksPerMultiprocessor(), warpsPerMultiprocessor / warps),
            byShared);
  }
}

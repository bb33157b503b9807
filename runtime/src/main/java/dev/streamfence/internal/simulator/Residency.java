package dev.streamfence.internal.simulator;

/**
 * The occupancy of one multiprocessor: how many blocks it holds at the same time. Stateless.
 *
 * <p>Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", column
 * 9.0: 32 blocks, 64 warps and 228 KiB of shared memory, with 1 KiB reserved per block. Registers
 * do not count, since PTX does not tell how many a kernel takes.
 */
final class Residency {
  private static final int MAX_BLOCKS = 32;
  private static final int MAX_WARPS = 64;
  private static final int WARP_SIZE = 32;
  private static final int SHARED_BYTES = 228 << 10;
  private static final int RESERVED_SHARED_BYTES = 1 << 10;

  private Residency() {}

  static int blocks(int blockThreads, long sharedBytesPerBlock) {
    int warps = (blockThreads + WARP_SIZE - 1) / WARP_SIZE;
    long byShared = SHARED_BYTES / (sharedBytesPerBlock + RESERVED_SHARED_BYTES);
    return (int) Math.min(Math.min(MAX_BLOCKS, MAX_WARPS / warps), byShared);
  }
}

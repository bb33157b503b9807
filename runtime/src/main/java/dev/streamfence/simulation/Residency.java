package dev.streamfence.simulation;

/**
 * How many blocks one multiprocessor holds at the same time. Stateless.
 *
 * <p>Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", column
 * 9.0: 32 blocks, 64 warps and 228 KiB of shared memory, of which each block has 1 KiB reserved.
 * Registers, which PTX does not know, do not count.
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

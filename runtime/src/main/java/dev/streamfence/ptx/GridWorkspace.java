package dev.streamfence.ptx;

/**
 * Global memory with a place in it where the blocks of one cooperative launch meet. The code that
 * {@code nvcc} generates for {@code grid_group::sync} finds it by {@code %envreg1} and {@code
 * %envreg2}, its address' high and low half, and expects it zero at first. No allocation lies
 * there. Confined to the thread that runs the launch.
 */
final class GridWorkspace implements GlobalMemory {
  /** A window of generic addresses that belongs to no memory; see {@link Windows}. */
  static final long ADDRESS = 0x3000_0000_0000_0000L;

  /** Twice what the largest known layout takes. */
  private static final int BYTES = 128;

  private final GlobalMemory memory;
  private final byte[] content = new byte[BYTES];

  GridWorkspace(GlobalMemory memory) {
    this.memory = memory;
  }

  @Override
  public long load(long address, int bytes) {
    return isInside(address, bytes)
        ? Bytes.get(content, (int) (address - ADDRESS), bytes)
        : memory.load(address, bytes);
  }

  @Override
  public void store(long address, int bytes, long value) {
    if (isInside(address, bytes)) {
      Bytes.put(content, (int) (address - ADDRESS), bytes, value);
    } else {
      memory.store(address, bytes, value);
    }
  }

  private static boolean isInside(long address, int bytes) {
    return address >= ADDRESS && address - ADDRESS <= BYTES - bytes;
  }
}

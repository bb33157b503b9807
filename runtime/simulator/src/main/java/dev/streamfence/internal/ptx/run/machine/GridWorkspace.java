package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import org.jspecify.annotations.Nullable;

/**
 * Global memory that includes a workspace in which the blocks of one cooperative launch
 * synchronise. The code that {@code nvcc} generates for {@code grid_group::sync} finds it through
 * {@code %envreg1} and {@code %envreg2}, the high and low half of its address, and expects it to be
 * zero at first. No allocation lies there. Confined to the thread that runs the launch.
 */
public final class GridWorkspace implements GlobalMemory {
  /** A window of generic addresses that belongs to no memory; see {@link Windows}. */
  public static final long ADDRESS = 0x3000_0000_0000_0000L;

  /** Twice the size of the largest known layout. */
  private static final int BYTES = 128;

  private final GlobalMemory memory;
  private final byte[] content = new byte[BYTES];

  public GridWorkspace(GlobalMemory memory) {
    this.memory = memory;
  }

  @Override
  public void enters(Lane lane) {
    memory.enters(lane);
  }

  @Override
  public @Nullable LaunchOrder order() {
    return memory.order();
  }

  @Override
  public boolean watchesUnwritten() {
    return memory.watchesUnwritten();
  }

  @Override
  public void loadsUnwritten(Lane lane, int offset, int bytes) {
    memory.loadsUnwritten(lane, offset, bytes);
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

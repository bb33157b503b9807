package dev.streamfence.internal.recording;

import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.List;

/** The memory for the arguments of the launches of a graph, in blocks. Confined to one thread. */
final class ArgumentFrames {
  private static final long BLOCK_BYTES = 64 << 10;

  private final HostMemoryPool memory;
  private final List<HostMemory> blocks = new ArrayList<>();

  /** How much of the last block is taken. */
  private long taken;

  ArgumentFrames(HostMemoryPool memory) {
    this.memory = memory;
  }

  /**
   * Memory that lasts until the release.
   *
   * @throws dev.streamfence.CudaDriverException if there is none left
   */
  HostMemory take(long bytes) {
    HostMemory last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
    if (last == null || taken + bytes > last.sizeInBytes()) {
      last = memory.take(Math.max(BLOCK_BYTES, bytes));
      blocks.add(last);
      taken = 0;
    }
    HostMemory frame = last.slice(taken, bytes);
    taken += bytes;
    return frame;
  }

  void release(Teardown teardown) {
    blocks.forEach(block -> teardown.step(() -> memory.giveBack(block)));
    blocks.clear();
  }
}

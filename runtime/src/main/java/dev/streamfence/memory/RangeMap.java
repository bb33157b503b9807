package dev.streamfence.memory;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The address ranges of blocks, which must not overlap. Thread-safe. */
final class RangeMap {
  private final TreeMap<Long, Block> byAddress = new TreeMap<>();

  /** Adds the range of a block, unless it overlaps that of another one, which is returned. */
  synchronized @Nullable Block add(Block block) {
    Map.Entry<Long, Block> below = byAddress.floorEntry(block.address());
    if (below != null && below.getKey() + below.getValue().sizeInBytes() > block.address()) {
      return below.getValue();
    }
    Map.Entry<Long, Block> above = byAddress.higherEntry(block.address());
    if (above != null && block.address() + block.sizeInBytes() > above.getKey()) {
      return above.getValue();
    }
    byAddress.put(block.address(), block);
    return null;
  }

  synchronized void remove(Block block) {
    byAddress.remove(block.address(), block);
  }
}

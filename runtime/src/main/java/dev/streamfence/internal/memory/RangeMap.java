package dev.streamfence.internal.memory;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The address ranges of allocations, which must not overlap. Thread-safe. */
final class RangeMap {
  private final TreeMap<Long, Block> byAddress = new TreeMap<>();

  /** Adds the range of an allocation; if it overlaps another one's, returns that one instead. */
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

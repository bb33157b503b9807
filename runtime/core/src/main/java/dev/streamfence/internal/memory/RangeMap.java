package dev.streamfence.internal.memory;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The address ranges of allocations, which must not overlap. Thread-safe. */
final class RangeMap {
  private final TreeMap<Long, Allocation> byAddress = new TreeMap<>();

  /** Adds the range of an allocation; if it overlaps another one's, returns that one instead. */
  synchronized @Nullable Allocation add(Allocation allocation) {
    Map.Entry<Long, Allocation> below = byAddress.floorEntry(allocation.address());
    if (below != null && below.getKey() + below.getValue().sizeInBytes() > allocation.address()) {
      return below.getValue();
    }
    Map.Entry<Long, Allocation> above = byAddress.higherEntry(allocation.address());
    if (above != null && allocation.address() + allocation.sizeInBytes() > above.getKey()) {
      return above.getValue();
    }
    byAddress.put(allocation.address(), allocation);
    return null;
  }

  synchronized void remove(Allocation allocation) {
    byAddress.remove(allocation.address(), allocation);
  }
}

package dev.streamfence.internal.memory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The allocations of a resource whose memory has not been given back, by a key. Thread-safe.
 *
 * <p>An index by order costs each allocation more than all else here, and few programs ask for it:
 * the first question makes it, and it is kept from then on.
 */
final class LiveAllocations {
  private final AddressMap<Allocation> byKey = new AddressMap<>();

  /** Null until the first question that needs it, which fills it. */
  private volatile @Nullable ConcurrentSkipListMap<Long, Allocation> ordered;

  /** Whether the index has what was added before it was made. */
  private volatile boolean isFilled;

  /**
   * Adds an allocation.
   *
   * @return the allocation that has the key already; null if none has
   */
  @Nullable Allocation add(long key, Allocation allocation) {
    Allocation owner = byKey.putIfAbsent(key, allocation);
    if (owner == null) {
      index(key, allocation);
    }
    return owner;
  }

  /** Adds an allocation in place of any other one. */
  void put(long key, Allocation allocation) {
    byKey.put(key, allocation);
    index(key, allocation);
  }

  private void index(long key, Allocation allocation) {
    ConcurrentSkipListMap<Long, Allocation> index = ordered;
    if (index != null) {
      index.put(key, allocation);
    }
  }

  /** Removes an allocation if it has the key. */
  void remove(long key, Allocation allocation) {
    byKey.remove(key, allocation);
    ConcurrentSkipListMap<Long, Allocation> index = ordered;
    if (index != null) {
      index.remove(key, allocation);
    }
  }

  boolean has(long key, Allocation allocation) {
    return byKey.get(key) == allocation;
  }

  /** A snapshot, in no particular order. */
  List<Allocation> all() {
    return List.copyOf(byKey.values());
  }

  /** The allocation with the highest key below a limit; null if there is none. */
  Map.@Nullable Entry<Long, Allocation> lower(long limit) {
    ConcurrentSkipListMap<Long, Allocation> index = ordered;
    return (index == null || !isFilled ? fill() : index).lowerEntry(limit);
  }

  private synchronized ConcurrentSkipListMap<Long, Allocation> fill() {
    ConcurrentSkipListMap<Long, Allocation> index = ordered;
    if (index == null) {
      index = new ConcurrentSkipListMap<>();
      // From here on, other threads add and remove what they change.
      ordered = index;
    } else if (isFilled) {
      return index;
    }
    fill(index);
    isFilled = true;
    return index;
  }

  private void fill(ConcurrentSkipListMap<Long, Allocation> index) {
    byKey.forEach(
        (key, allocation) -> {
          index.putIfAbsent(key, allocation);
          if (!has(key, allocation)) {
            // Removed meanwhile, perhaps before it was in the index.
            index.remove(key, allocation);
          }
        });
  }
}

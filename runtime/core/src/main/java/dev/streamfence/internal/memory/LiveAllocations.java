package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The allocations of a resource whose memory has not been given back, by a key. Thread-safe.
 *
 * <p>Each is entered in a place. A place is in the map while it has an allocation, or a block of
 * the caching pool keeps it: then handing that block out again, and taking it back, needs no
 * search.
 *
 * <p>An index by order costs each allocation more than all else here, and few programs ask for it:
 * the first question makes it, and it is kept from then on.
 */
final class LiveAllocations {
  /** Has at most one allocation, the one with its key. */
  final class Place {
    private static final AtomicReferenceFieldUpdater<Place, @Nullable Allocation> ENTERED =
        AtomicReferenceFieldUpdater.newUpdater(Place.class, Allocation.class, "entered");

    private final long key;

    /** Null while no array has the memory. */
    private volatile @Nullable Allocation entered;

    /**
     * The block that keeps it; null if none does. Written by the thread that has the block, and
     * read by threads that have found an allocation entered since.
     */
    private @Nullable PoolBlock keeper;

    private Place(long key, Allocation allocation) {
      this.key = key;
      this.entered = allocation;
    }

    long key() {
      return key;
    }

    /** The block that keeps it; null if none does. */
    @Nullable PoolBlock keeper() {
      return keeper;
    }

    /** Lets a block keep it: it stays in the map when its allocation is removed. */
    void keepFor(PoolBlock block) {
      keeper = block;
    }

    /** Takes it out of the map, after its allocation was removed. */
    void drop() {
      keeper = null;
      forget(this);
    }

    private LiveAllocations home() {
      return LiveAllocations.this;
    }
  }

  private final AddressMap<Place> byKey = new AddressMap<>();

  /** Null until the first question that needs it, which fills it. */
  private volatile @Nullable ConcurrentSkipListMap<Long, Place> ordered;

  /** Whether the index has what was added before it was made. */
  private volatile boolean isFilled;

  /**
   * Adds an allocation.
   *
   * @return the allocation that has the key already; null if none has
   */
  @Nullable Allocation add(long key, Allocation allocation) {
    Place fresh = new Place(key, allocation);
    while (true) {
      // Before other threads find it in the map.
      allocation.setPlace(fresh);
      Place known = byKey.putIfAbsent(key, fresh);
      if (known == null) {
        index(fresh);
        return null;
      }
      if (known.keeper != null) {
        return add(known, allocation);
      }
      Allocation owner = known.entered;
      if (owner != null) {
        allocation.setPlace(known);
        return owner;
      }
      // It has just been taken out.
    }
  }

  /**
   * Adds an allocation in a place that a block keeps.
   *
   * @return the allocation that is there already; null if none is
   */
  @Nullable Allocation add(Place place, Allocation allocation) {
    allocation.setPlace(place);
    while (!Place.ENTERED.compareAndSet(place, null, allocation)) {
      Allocation owner = place.entered;
      if (owner != null) {
        return owner;
      }
    }
    return null;
  }

  /** Adds an allocation again that was removed, and whose memory was not given back after all. */
  void addAgain(Allocation allocation) {
    Place place = requireNonNull(allocation.place());
    place.entered = allocation;
    if (place.keeper == null) {
      byKey.put(place.key, place);
      index(place);
    }
  }

  private void index(Place place) {
    ConcurrentSkipListMap<Long, Place> index = ordered;
    if (index != null) {
      index.put(place.key, place);
    }
  }

  /**
   * Removes an allocation if it is here, before its memory is given back. Its place stays if a
   * block keeps it.
   */
  void remove(Allocation allocation) {
    if (has(allocation)) {
      Place place = requireNonNull(allocation.place());
      if (place.keeper == null) {
        forget(place);
      }
      Place.ENTERED.compareAndSet(place, allocation, null);
    }
  }

  private void forget(Place place) {
    byKey.remove(place.key, place);
    ConcurrentSkipListMap<Long, Place> index = ordered;
    if (index != null) {
      index.remove(place.key, place);
    }
  }

  boolean has(Allocation allocation) {
    Place place = allocation.place();
    return place != null && place.home() == this && place.entered == allocation;
  }

  /** A snapshot, in no particular order. */
  List<Allocation> all() {
    List<Allocation> all = new ArrayList<>();
    for (Place place : byKey.values()) {
      Allocation allocation = place.entered;
      if (allocation != null) {
        all.add(allocation);
      }
    }
    return all;
  }

  /**
   * The allocation that has some of the memory in a range; null if none has. If several do, the one
   * at the highest address. For allocations by address, which have no memory in common, neither
   * with each other nor with what the pool keeps.
   */
  @Nullable Allocation overlapping(long begin, long end) {
    ConcurrentSkipListMap<Long, Place> known = ordered;
    ConcurrentSkipListMap<Long, Place> index = known == null || !isFilled ? fill() : known;
    Map.Entry<Long, Place> last = index.lowerEntry(end);
    while (last != null) {
      Allocation allocation = last.getValue().entered;
      if (allocation != null) {
        return begin < last.getKey() + allocation.sizeInBytes() ? allocation : null;
      }
      // What is below it ends before it begins.
      last = last.getKey() <= begin ? null : index.lowerEntry(last.getKey());
    }
    return null;
  }

  private synchronized ConcurrentSkipListMap<Long, Place> fill() {
    ConcurrentSkipListMap<Long, Place> index = ordered;
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

  private void fill(ConcurrentSkipListMap<Long, Place> index) {
    byKey.forEach(
        (key, place) -> {
          index.putIfAbsent(key, place);
          if (byKey.get(key) != place) {
            // Removed meanwhile, perhaps before it was in the index.
            index.remove(key, place);
          }
        });
  }
}

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
 * <p>An index by order costs each allocation more than all else here, and few programs ask for it:
 * the first question makes it, and it is kept from then on.
 */
final class LiveAllocations {
  /** Where an allocation is entered. */
  final class Place {
    private static final AtomicReferenceFieldUpdater<Place, @Nullable Allocation> ENTERED =
        AtomicReferenceFieldUpdater.newUpdater(Place.class, Allocation.class, "entered");

    private final long key;

    /** Null while the memory is given back, and the pool keeps the place. */
    private volatile @Nullable Allocation entered;

    /**
     * The pool's block at the key, which keeps the place: handing it out again needs no search.
     * Written by the thread that the block belongs to.
     */
    private @Nullable PoolBlock keeper;

    private Place(long key, Allocation allocation) {
      this.key = key;
      this.entered = allocation;
    }

    /** The pool's block that keeps it; null if none does. */
    @Nullable PoolBlock keeper() {
      return keeper;
    }

    /** Lets a block of the pool keep it, from when the thread gives its memory back. */
    void keepFor(PoolBlock block) {
      keeper = block;
    }

    /** No block keeps it any more; it is empty. */
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
    // First: other threads find the allocation there.
    allocation.enterAt(fresh);
    Place known = byKey.putIfAbsent(key, fresh);
    if (known != null) {
      return add(known, allocation);
    }
    index(fresh);
    return null;
  }

  /**
   * Adds an allocation in a place that is kept.
   *
   * @return the allocation that has it already; null if none has
   */
  @Nullable Allocation add(Place place, Allocation allocation) {
    allocation.enterAt(place);
    return Place.ENTERED.compareAndSet(place, null, allocation) ? null : place.entered;
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

  /** Removes an allocation if it is here, before its memory is given back. */
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

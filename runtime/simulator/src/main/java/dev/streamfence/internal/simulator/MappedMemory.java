package dev.streamfence.internal.simulator;

import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Device memory as running operations see it: the allocations that exist at this moment in stream
 * order. Refuses accesses outside them and gives the reason. Confined to the driver's lock.
 */
final class MappedMemory implements GlobalMemory {
  /** Allocations start at multiples of the page size, so a page has at most one. */
  private static final int PAGE_SHIFT = 9;

  /** The pages found without a search: a kernel walks through several arrays at a time. */
  private static final int CACHED_PAGES = 1024;

  /** Freed ranges remembered to explain a use after free. */
  private static final int REMEMBERED = 4096;

  private final LongPredicate isOfAnother;

  /** The memory of other devices to which access was enabled. */
  private final Set<MappedMemory> enabled = Collections.newSetFromMap(new WeakHashMap<>());

  /** The memory of devices that may access this one. */
  private final Set<MappedMemory> sharedWith = Collections.newSetFromMap(new WeakHashMap<>());

  private final TreeMap<Long, SimulatedAllocation> mapped = new TreeMap<>();
  private final @Nullable SimulatedAllocation[] cache = new SimulatedAllocation[CACHED_PAGES];
  private final Map<Long, Long> unmapped =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * Creates the memory of a device without allocations.
   *
   * @param isOfAnother whether an address belongs to another device
   */
  MappedMemory(LongPredicate isOfAnother) {
    this.isOfAnother = isOfAnother;
  }

  /** Lets operations reach the memory of another device, once that is shared with this one. */
  void enableAccessTo(MappedMemory other) {
    enabled.add(other);
  }

  /** Lets another device reach this memory, once it enables that. */
  void shareWith(MappedMemory other) {
    sharedWith.add(other);
  }

  void map(SimulatedAllocation allocation) {
    mapped.put(allocation.address(), allocation);
    unmapped.remove(allocation.address());
  }

  void unmap(long address) {
    SimulatedAllocation gone = mapped.remove(address);
    if (gone != null) {
      unmapped.put(address, gone.size());
      forget(gone);
    }
  }

  private void forget(SimulatedAllocation gone) {
    long pages = Math.min(CACHED_PAGES, (gone.size() >>> PAGE_SHIFT) + 1);
    for (long page = 0; page < pages; page++) {
      cache[slot(gone.address() + (page << PAGE_SHIFT))] = null;
    }
  }

  private static int slot(long address) {
    return (int) (address >>> PAGE_SHIFT) & (CACHED_PAGES - 1);
  }

  /** The allocation around an address that operations reach, or null. */
  @Nullable SimulatedAllocation find(long address) {
    SimulatedAllocation own = findOwn(address, 1);
    MappedMemory other = own == null ? reachable(address) : null;
    return other == null ? own : other.findOwn(address, 1);
  }

  /** The allocation of this device that contains all of these bytes, or null. */
  @Nullable SimulatedAllocation findOwn(long address, long count) {
    Map.Entry<Long, SimulatedAllocation> floor = mapped.floorEntry(address);
    return floor != null && floor.getValue().contains(address, count) ? floor.getValue() : null;
  }

  /** The allocation that contains all of these bytes. */
  SimulatedAllocation require(long address, long count) {
    int slot = slot(address);
    SimulatedAllocation cached = cache[slot];
    if (cached != null && cached.contains(address, count)) {
      return cached;
    }
    SimulatedAllocation own = findOwn(address, count);
    if (own != null) {
      cache[slot] = own;
      return own;
    }
    MappedMemory other = reachable(address);
    // Not cached here, since the other device may unmap it.
    SimulatedAllocation there = other == null ? null : other.findOwn(address, count);
    if (there == null) {
      throw new IllegalAccess((other == null ? this : other).describe(address, count), address);
    }
    return there;
  }

  /** The memory of another device to which an address belongs, if access to it is on; else null. */
  private @Nullable MappedMemory reachable(long address) {
    if (isOfAnother.test(address)) {
      for (MappedMemory other : enabled) {
        if (other.sharedWith.contains(this) && !other.isOfAnother.test(address)) {
          return other;
        }
      }
    }
    return null;
  }

  @Override
  public long load(long address, int bytes) {
    SimulatedAllocation allocation = require(address, bytes);
    return allocation.bytes().load(allocation.offset(address), bytes);
  }

  @Override
  public void store(long address, int bytes, long value) {
    SimulatedAllocation allocation = require(address, bytes);
    allocation.bytes().store(allocation.offset(address), bytes, value);
  }

  private String describe(long address, long count) {
    String are = IllegalAccess.subject(count, address, "are");
    for (Map.Entry<Long, Long> freed : unmapped.entrySet()) {
      if (address >= freed.getKey() && address < freed.getKey() + freed.getValue()) {
        return are
            + " in an allocation of "
            + IllegalAccess.bytes(freed.getValue())
            + " that is freed";
      }
    }
    if (isOfAnother.test(address)) {
      return are + " in the memory of another device, to which peer access is off";
    }
    Map.Entry<Long, SimulatedAllocation> floor = mapped.floorEntry(address);
    Map.Entry<Long, SimulatedAllocation> ceiling = mapped.higherEntry(address);
    // Without an allocation below, an index from the address 0 led there more likely.
    long past = floor == null ? Math.abs(address) : address - end(floor.getValue());
    if (ceiling != null && ceiling.getKey() - address - count < past) {
      return IllegalAccess.subject(count, address, "begin")
          + " "
          + IllegalAccess.bytes(ceiling.getKey() - address)
          + " before"
          + nearest(ceiling.getValue());
    }
    return floor == null
        ? are + " in no allocation"
        : IllegalAccess.subject(count, address, "end")
            + " "
            + IllegalAccess.bytes(past + count)
            + " beyond"
            + nearest(floor.getValue());
  }

  private static long end(SimulatedAllocation allocation) {
    return allocation.address() + allocation.size();
  }

  private static String nearest(SimulatedAllocation allocation) {
    return " the nearest allocation, which has "
        + IllegalAccess.bytes(allocation.size())
        + " at 0x"
        + Long.toHexString(allocation.address());
  }
}

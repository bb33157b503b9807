package dev.streamfence.simulation;

import dev.streamfence.ptx.GlobalMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Device memory as running operations see it: the allocations that exist at this moment in stream
 * order. Whatever touches a byte outside them is refused with the reason. Confined to the driver's
 * lock.
 */
final class MappedMemory implements GlobalMemory {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Allocations start at multiples of this many bytes, so that a page has one at most. */
  private static final int PAGE_SHIFT = 9;

  /** A kernel walks through some arrays at a time; this many pages are found without a search. */
  private static final int CACHED_PAGES = 1024;

  /** Freed ranges that are remembered to explain a use after free. */
  private static final int REMEMBERED = 4096;

  private final TreeMap<Long, Allocation> mapped = new TreeMap<>();
  private final @Nullable Allocation[] cache = new Allocation[CACHED_PAGES];
  private final Map<Long, Long> unmapped =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > REMEMBERED;
        }
      };

  void map(long address, int size) {
    mapped.put(address, new Allocation(address, size));
    unmapped.remove(address);
  }

  void unmap(long address) {
    Allocation gone = mapped.remove(address);
    if (gone != null) {
      unmapped.put(address, (long) gone.bytes().length);
      Arrays.fill(cache, null);
    }
  }

  /** The allocation that has all of these bytes. */
  Allocation require(long address, long count) {
    int slot = (int) (address >>> PAGE_SHIFT) & (CACHED_PAGES - 1);
    Allocation cached = cache[slot];
    if (cached != null && cached.contains(address, count)) {
      return cached;
    }
    Map.Entry<Long, Allocation> floor = mapped.floorEntry(address);
    if (floor == null || !floor.getValue().contains(address, count)) {
      throw new IllegalAccess(describe(address, count, floor), address);
    }
    cache[slot] = floor.getValue();
    return floor.getValue();
  }

  @Override
  public long load(long address, int bytes) {
    return get(require(address, bytes), address, bytes);
  }

  /** Loads from an allocation that has all of these bytes. */
  static long get(Allocation allocation, long address, int bytes) {
    byte[] memory = allocation.bytes();
    int at = allocation.offset(address);
    return switch (bytes) {
      case 1 -> memory[at] & 0xFFL;
      case 2 -> (short) SHORT.get(memory, at) & 0xFFFFL;
      case 4 -> (int) INT.get(memory, at) & 0xFFFF_FFFFL;
      default -> (long) LONG.get(memory, at);
    };
  }

  @Override
  public void store(long address, int bytes, long value) {
    put(require(address, bytes), address, bytes, value);
  }

  /** Stores to an allocation that has all of these bytes. */
  static void put(Allocation allocation, long address, int bytes, long value) {
    byte[] memory = allocation.bytes();
    int at = allocation.offset(address);
    switch (bytes) {
      case 1 -> memory[at] = (byte) value;
      case 2 -> SHORT.set(memory, at, (short) value);
      case 4 -> INT.set(memory, at, (int) value);
      default -> LONG.set(memory, at, value);
    }
  }

  private String describe(long address, long count, Map.@Nullable Entry<Long, Allocation> floor) {
    String access = count + " bytes at 0x" + Long.toHexString(address);
    for (Map.Entry<Long, Long> freed : unmapped.entrySet()) {
      if (address >= freed.getKey() && address < freed.getKey() + freed.getValue()) {
        return access + " are in a block of " + freed.getValue() + " bytes that is freed";
      }
    }
    if (floor == null) {
      return access + " are in no block";
    }
    Allocation below = floor.getValue();
    long behind = address + count - below.address() - below.bytes().length;
    return access
        + " end "
        + behind
        + " bytes behind the nearest block, which has "
        + below.bytes().length
        + " bytes at 0x"
        + Long.toHexString(below.address());
  }
}

package dev.streamfence.internal.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Address ranges that may overlap, found by the addresses that they have in common with another
 * range. Ranges are sorted by address within their size, rounded down to a power of two: of each
 * size, only ranges that begin less than twice that size in front are looked at. Thread-safe.
 */
final class RangeIndex<T> {
  private record RangeStart(long address, long number) implements Comparable<RangeStart> {
    @Override
    public int compareTo(RangeStart other) {
      int byAddress = Long.compare(address, other.address);
      return byAddress != 0 ? byAddress : Long.compare(number, other.number);
    }
  }

  private record IndexedRange<T>(long end, T value) {}

  private final List<ConcurrentNavigableMap<RangeStart, IndexedRange<T>>> bySize =
      new ArrayList<>(Long.SIZE);

  RangeIndex() {
    for (int i = 0; i < Long.SIZE; i++) {
      bySize.add(new ConcurrentSkipListMap<>());
    }
  }

  /**
   * Adds a range.
   *
   * @param bytes at least 1
   * @param number tells it from other ranges at the address
   */
  void add(long address, long bytes, long number, T value) {
    ofSize(bytes).put(new RangeStart(address, number), new IndexedRange<>(address + bytes, value));
  }

  /** Removes a range, unless that was done. */
  void remove(long address, long bytes, long number) {
    ofSize(bytes).remove(new RangeStart(address, number));
  }

  /** What has an address in common with a range of at least 1 byte. */
  List<T> overlapping(long address, long bytes) {
    List<T> found = new ArrayList<>(0);
    for (int size = 0; size < Long.SIZE; size++) {
      ConcurrentNavigableMap<RangeStart, IndexedRange<T>> ranges = bySize.get(size);
      if (ranges.isEmpty()) {
        continue;
      }
      long longest = size < Long.SIZE - 2 ? 2L << size : Long.MAX_VALUE;
      RangeStart first = new RangeStart(Math.max(0, address - longest), 0);
      for (IndexedRange<T> range :
          ranges.subMap(first, new RangeStart(address + bytes, 0)).values()) {
        if (range.end() > address) {
          found.add(range.value());
        }
      }
    }
    return found;
  }

  private ConcurrentNavigableMap<RangeStart, IndexedRange<T>> ofSize(long bytes) {
    return bySize.get(Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes));
  }
}

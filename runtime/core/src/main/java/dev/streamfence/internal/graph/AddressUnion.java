package dev.streamfence.internal.graph;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Ranges of addresses, united where they meet. Confined to one thread at a time. */
final class AddressUnion {
  /** The end of each range, by its beginning. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  // The same as two lists, made when they are asked for: a look-up in the map makes objects.
  private long[] begins = {};
  private long[] ends = {};

  void add(long address, long bytes) {
    long from = address;
    long end = address + bytes;
    Map.Entry<Long, Long> met = ranges.floorEntry(end);
    while (met != null && met.getValue() >= from) {
      from = Math.min(from, met.getKey());
      end = Math.max(end, met.getValue());
      ranges.remove(met.getKey());
      met = ranges.floorEntry(end);
    }
    ranges.put(from, end);
    begins = new long[0];
  }

  boolean overlaps(long address, long bytes) {
    if (begins.length != ranges.size()) {
      ends = ranges.values().stream().mapToLong(Long::longValue).toArray();
      begins = ranges.keySet().stream().mapToLong(Long::longValue).toArray();
    }
    // The last range that begins before the end.
    int found = Arrays.binarySearch(begins, address + bytes);
    int before = (found >= 0 ? found : -found - 1) - 1;
    return before >= 0 && ends[before] > address;
  }
}

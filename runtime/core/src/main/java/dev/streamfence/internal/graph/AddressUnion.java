package dev.streamfence.internal.graph;

import java.util.Map;
import java.util.TreeMap;

/** Ranges of addresses, united where they meet. Confined to one thread at a time. */
final class AddressUnion {
  /** The end of each range, by its beginning. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

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
  }

  boolean overlaps(long address, long bytes) {
    Map.Entry<Long, Long> before = ranges.lowerEntry(address + bytes);
    return before != null && before.getValue() > address;
  }
}

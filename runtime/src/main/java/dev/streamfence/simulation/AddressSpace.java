package dev.streamfence.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses the host may hand out, as a stream-ordered pool decides it: a freed range is used
 * again at once on the stream that freed it, last one first, and on every stream once the free has
 * been carried out. Confined to the driver's lock.
 */
final class AddressSpace {
  /** As the driver aligns. */
  private static final long ALIGNMENT = 512;

  /**
   * Unmapped bytes between two ranges, so that a run past the end of one does not end up in
   * another.
   */
  private static final long GAP = 4096;

  private static final long FIRST = 0x7_0000_0000L;

  /** A range whose free was called. */
  static final class Freed {
    private final long address;
    private final long size;
    private final SimulatedStream stream;
    private boolean carriedOut;

    private Freed(long address, long size, SimulatedStream stream) {
      this.address = address;
      this.size = size;
      this.stream = stream;
    }

    void carryOut() {
      carriedOut = true;
    }
  }

  private final long capacity;
  private final Map<Long, Deque<Freed>> freedBySize = new HashMap<>();
  private final Map<Long, Long> sizes = new HashMap<>();
  private long next = FIRST;
  private long reserved;

  AddressSpace(long capacity) {
    this.capacity = capacity;
  }

  /** An address for an allocation on a stream, or nothing when memory is short. */
  OptionalLong allocate(long bytes, SimulatedStream stream) {
    long size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Deque<Freed> candidates = freedBySize.getOrDefault(size, new ArrayDeque<>());
    for (Iterator<Freed> i = candidates.iterator(); i.hasNext(); ) {
      Freed freed = i.next();
      if (freed.stream == stream || freed.carriedOut) {
        i.remove();
        sizes.put(freed.address, size);
        return OptionalLong.of(freed.address);
      }
    }
    if (size > capacity - reserved) {
      dropFreed();
    }
    if (size > capacity - reserved) {
      return OptionalLong.empty();
    }
    reserved += size;
    long address = next;
    next += size + GAP;
    sizes.put(address, size);
    return OptionalLong.of(address);
  }

  /** Takes an address back, or returns null if it is not allocated. */
  @Nullable Freed free(long address, SimulatedStream stream) {
    Long size = sizes.remove(address);
    if (size == null) {
      return null;
    }
    Freed freed = new Freed(address, size, stream);
    freedBySize.computeIfAbsent(size, s -> new ArrayDeque<>()).addFirst(freed);
    return freed;
  }

  /** How many ranges are allocated. */
  int count() {
    return sizes.size();
  }

  /** Bytes that an allocation could get at this moment. */
  long available() {
    long available = capacity - reserved;
    for (Deque<Freed> ofSize : freedBySize.values()) {
      for (Freed freed : ofSize) {
        available += freed.carriedOut ? freed.size : 0;
      }
    }
    return available;
  }

  private void dropFreed() {
    for (Deque<Freed> ofSize : freedBySize.values()) {
      for (Iterator<Freed> i = ofSize.iterator(); i.hasNext(); ) {
        Freed freed = i.next();
        if (freed.carriedOut) {
          reserved -= freed.size;
          i.remove();
        }
      }
    }
  }
}

package dev.streamfence.simulation;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses the host may hand out, as a stream-ordered pool decides it: a freed range is used
 * again at once on the stream that freed it, last one first, and on every stream once the free has
 * been carried out.
 *
 * <p>The Java memory of a range is taken when the allocation is submitted, so that whatever was
 * handed out can be carried out. Allocations that follow one another at an address share it; it is
 * given back when the last of them has been freed. Confined to the driver's lock.
 */
final class AddressSpace {
  /** As the driver aligns. */
  static final long ALIGNMENT = 512;

  /**
   * Unmapped bytes between two ranges, so that a run past the end of one does not end up in
   * another.
   */
  private static final long GAP = 4096;

  private static final long FIRST = 0x7_0000_0000L;

  /** Addresses that are handed out together. */
  static final class Range {
    private final long address;
    private final long size;
    private @Nullable Backing bytes;
    private int lives;

    private Range(long address, long size) {
      this.address = address;
      this.size = size;
    }

    long address() {
      return address;
    }

    /** Its memory, which stays the same as long as the range is handed out or queued. */
    Backing bytes() {
      return requireNonNull(bytes);
    }
  }

  /** A range whose free was called. */
  final class Freed {
    private final Range range;
    private final SimulatedStream stream;
    private final long sequence;
    private boolean usedAgain;

    private Freed(Range range, SimulatedStream stream) {
      this.range = range;
      this.stream = stream;
      this.sequence = ++frees;
    }

    void carryOut() {
      if (--range.lives == 0) {
        range.bytes = null;
        heap.giveBack(range.size);
      }
      if (!usedAgain) {
        requireNonNull(freedBySize.get(range.size)).carriedOut(this);
        idle.add(this);
        idleBytes += range.size;
      }
    }
  }

  /** The freed ranges of one size. */
  private static final class FreedRanges {
    private final Map<SimulatedStream, Deque<Freed>> queued = new HashMap<>();
    private final TreeMap<Long, Freed> carriedOut = new TreeMap<>();

    void add(Freed freed) {
      queued.computeIfAbsent(freed.stream, s -> new ArrayDeque<>()).addFirst(freed);
    }

    /** A stream carries its frees out in their order. */
    void carriedOut(Freed freed) {
      takeQueued(freed.stream, false);
      carriedOut.put(freed.sequence, freed);
    }

    /** The last one that a stream may use, or null; it stays here. */
    @Nullable Freed last(SimulatedStream stream) {
      Deque<Freed> own = queued.get(stream);
      Map.Entry<Long, Freed> any = carriedOut.lastEntry();
      if (own == null) {
        return any == null ? null : any.getValue();
      }
      Freed last = own.getFirst();
      return any == null || any.getKey() < last.sequence ? last : any.getValue();
    }

    /** Takes one that {@link #last} has returned. */
    void take(Freed freed) {
      if (carriedOut.remove(freed.sequence) == null) {
        takeQueued(freed.stream, true);
      }
    }

    private void takeQueued(SimulatedStream stream, boolean last) {
      Deque<Freed> own = requireNonNull(queued.get(stream));
      if (last) {
        own.removeFirst();
      } else {
        own.removeLast();
      }
      if (own.isEmpty()) {
        queued.remove(stream);
      }
    }
  }

  private final long capacity;
  private final HeapMemory heap;
  private final int segmentShift;
  private final Map<Long, FreedRanges> freedBySize = new HashMap<>();
  private final Map<Long, Range> ranges = new HashMap<>();
  private final Set<Freed> idle = new LinkedHashSet<>();
  private long idleBytes;
  private long next = FIRST;
  private long reserved;
  private long frees;

  /**
   * Creates an empty space.
   *
   * @param heap where the memory comes from
   * @param segmentShift see {@link Backing}
   */
  AddressSpace(long capacity, HeapMemory heap, int segmentShift) {
    this.capacity = capacity;
    this.heap = heap;
    this.segmentShift = segmentShift;
  }

  /**
   * A range for an allocation on a stream, or null when memory is short.
   *
   * @throws HeapExhausted if the device has the memory and the Java heap does not
   */
  @Nullable Range allocate(long bytes, SimulatedStream stream) {
    if (bytes > capacity) {
      return null;
    }
    long size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    FreedRanges candidates = freedBySize.get(size);
    Freed freed = candidates == null ? null : candidates.last(stream);
    if (freed == null && size > capacity - reserved) {
      dropIdle();
      if (size > capacity - reserved) {
        return null;
      }
    }
    Range range = freed == null ? new Range(next, size) : freed.range;
    if (range.bytes == null) {
      range.bytes = heap.take(size, () -> new Backing(size, segmentShift));
      if (range.bytes == null) {
        throw new HeapExhausted();
      }
    }
    if (freed == null) {
      reserved += size;
      next += size + GAP;
    } else {
      requireNonNull(candidates).take(freed);
      freed.usedAgain = true;
      if (idle.remove(freed)) {
        idleBytes -= size;
      }
    }
    range.lives++;
    ranges.put(range.address, range);
    return range;
  }

  /** Takes an address back, or returns null if it is not allocated. */
  @Nullable Freed free(long address, SimulatedStream stream) {
    Range range = ranges.remove(address);
    if (range == null) {
      return null;
    }
    Freed freed = new Freed(range, stream);
    freedBySize.computeIfAbsent(range.size, s -> new FreedRanges()).add(freed);
    return freed;
  }

  /** How many ranges are allocated. */
  int count() {
    return ranges.size();
  }

  /** Bytes that an allocation could get at this moment. */
  long available() {
    return capacity - reserved + idleBytes;
  }

  private void dropIdle() {
    for (Freed freed : idle) {
      requireNonNull(freedBySize.get(freed.range.size)).take(freed);
    }
    idle.clear();
    reserved -= idleBytes;
    idleBytes = 0;
  }

  /** The Java heap is smaller than the device's memory. */
  static final class HeapExhausted extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}

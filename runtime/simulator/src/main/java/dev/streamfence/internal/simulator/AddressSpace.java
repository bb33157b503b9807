package dev.streamfence.internal.simulator;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.simulator.bytes.Backing;
import dev.streamfence.internal.simulator.bytes.HeapMemory;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that the host may hand out, by the rules of a stream-ordered pool: the stream that
 * freed a range may reuse it immediately, last freed first; every stream may once the free has run.
 *
 * <p>A range takes its Java memory when the allocation is submitted, so every allocation handed out
 * can run. Successive allocations at an address share that memory; the last free gives it back.
 * Confined to the driver's lock.
 */
final class AddressSpace {
  /** The driver's alignment. */
  static final long ALIGNMENT = 512;

  /**
   * Unmapped bytes between two ranges, which keep a run past the end of one from reaching another.
   */
  private static final long GAP = 4096;

  private static final long FIRST = 0x7_0000_0000L;

  /** A range of addresses that is handed out as a whole. */
  static final class AddressRange {
    private final long address;
    private final long size;
    private @Nullable Backing bytes;
    private int lives;

    private AddressRange(long address, long size) {
      this.address = address;
      this.size = size;
    }

    long address() {
      return address;
    }

    long size() {
      return size;
    }

    /** Its memory, which stays the same while the range is handed out or its free is queued. */
    Backing bytes() {
      return requireNonNull(bytes);
    }
  }

  /** A range whose free was submitted. */
  final class Freed {
    private final AddressRange range;
    private final SimulatedStream stream;
    private final long sequence;
    private boolean usedAgain;

    private Freed(AddressRange range, SimulatedStream stream) {
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

    /** Records that a free has run; the frees of a stream run in order. */
    void carriedOut(Freed freed) {
      takeQueued(freed.stream, false);
      carriedOut.put(freed.sequence, freed);
    }

    /** The last freed range that a stream may use, or null; does not remove it. */
    @Nullable Freed last(SimulatedStream stream) {
      Deque<Freed> own = queued.get(stream);
      Map.Entry<Long, Freed> any = carriedOut.lastEntry();
      if (own == null) {
        return any == null ? null : any.getValue();
      }
      Freed last = own.getFirst();
      return any == null || any.getKey() < last.sequence ? last : any.getValue();
    }

    /** Removes a range that {@link #last} returned. */
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
  private final Map<Long, AddressRange> ranges = new HashMap<>();
  private final Set<Freed> idle = new LinkedHashSet<>();
  private long idleBytes;
  private long next;
  private long reserved;
  private long frees;

  /**
   * Creates an empty space.
   *
   * @param heap the source of the memory
   * @param segmentShift see {@link Backing}
   * @param base added to each address
   */
  AddressSpace(long capacity, HeapMemory heap, int segmentShift, long base) {
    this.capacity = capacity;
    this.heap = heap;
    this.segmentShift = segmentShift;
    this.next = base + FIRST;
  }

  /**
   * A range for an allocation on a stream, or null if memory is short.
   *
   * @throws HeapExhausted if the device has the memory but the Java heap does not
   */
  @Nullable AddressRange allocate(long bytes, SimulatedStream stream) {
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
    AddressRange range = freed == null ? new AddressRange(next, size) : freed.range;
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
    AddressRange range = ranges.remove(address);
    if (range == null) {
      return null;
    }
    Freed freed = new Freed(range, stream);
    freedBySize.computeIfAbsent(range.size, s -> new FreedRanges()).add(freed);
    return freed;
  }

  /** The allocated range around an address, or null. */
  @Nullable AddressRange containing(long address) {
    for (AddressRange range : ranges.values()) {
      if (address >= range.address && address - range.address < range.size) {
        return range;
      }
    }
    return null;
  }

  /** The number of allocated ranges. */
  int count() {
    return ranges.size();
  }

  /** Bytes available to allocations at this moment. */
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

  /** The Java heap has no memory for a range that the device has. */
  static final class HeapExhausted extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}

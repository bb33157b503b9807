package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.BitArithmetic;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.ProvenanceArithmetic;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The abstract content of a variable. A store joins its value to the content and replaces nothing,
 * so the content covers all points in time. Values at known offsets are kept apart, and so are
 * those at an offset within known limits; a value at an unknown offset may be found at any.
 */
final class MemoryObject {
  private static final int WIDEST = 32;

  /** The number of ranges that are told apart; a store to a further one may go anywhere. */
  private static final int MAX_RANGES = 4;

  /** The number of changes of one slot after which every further join is widened. */
  private static final int WIDENING_DELAY = 24;

  private final int origin;
  private final StateSpace space;
  private final boolean tracked;
  private final int alignment;
  private final @Nullable PtxFunction function;

  private final NavigableMap<Long, Map<Integer, Slot>> slots = new TreeMap<>();
  private final Map<Range, Map<Integer, Slot>> ranges = new LinkedHashMap<>();
  private final Map<Integer, Slot> anywhere = new HashMap<>();

  /** What loads of each width at unknown offsets find; stores join what they add. */
  private final Map<Integer, Provenance> foundAnywhere = new HashMap<>();

  private int size;
  private boolean escaped;

  /** Instructions to evaluate again when the content changes. */
  private final Set<Step> dependents = new LinkedHashSet<>();

  /** The offsets from a least one to one that is larger by the span. */
  private record Range(long offset, int span) {
    /** Returns whether a value at one of these offsets may share a byte with one of another's. */
    boolean meets(int width, long other, int otherSpan, int otherWidth) {
      return offset < other + otherSpan + otherWidth && other < offset + span + width;
    }
  }

  /** The join of the values stored with one width at one offset. */
  private static final class Slot {
    private final int width;
    private Provenance value = Provenance.BOTTOM;
    private int changes;

    /** What loads of other widths find of this value, by their width. */
    private final Map<Integer, Provenance> parts = new HashMap<>(2);

    Slot(int width) {
      this.width = width;
    }

    void set(Provenance changed) {
      value = changed;
      parts.clear();
    }

    /** What a load at an unknown offset may find of the value. */
    Provenance part(int load) {
      return load == width || value.isBottom()
          ? value
          : parts.computeIfAbsent(load, this::computed);
    }

    private Provenance computed(int load) {
      if (width > load) {
        return BitArithmetic.part(value);
      }
      // The load may cover several adjacent ones.
      Provenance beside = BitArithmetic.assemble(value, value);
      return value.join(beside).join(beside.map(BitArithmetic::unclear));
    }
  }

  /**
   * Creates an empty object.
   *
   * @param tracked whether only this kernel can access the object
   * @param alignment the power of two of which its address is a multiple
   * @param function the function whose address leads to this object; null for a variable
   */
  MemoryObject(
      int origin,
      StateSpace space,
      boolean tracked,
      int alignment,
      @Nullable PtxFunction function) {
    this.origin = origin;
    this.space = space;
    this.tracked = tracked;
    this.alignment = alignment;
    this.function = function;
  }

  int origin() {
    return origin;
  }

  StateSpace space() {
    return space;
  }

  boolean isTracked() {
    return tracked;
  }

  int alignment() {
    return alignment;
  }

  @Nullable PtxFunction function() {
    return function;
  }

  boolean isEscaped() {
    return escaped;
  }

  Set<Step> dependents() {
    return dependents;
  }

  /** Returns the number of slots. */
  int size() {
    return size;
  }

  /** Returns the number of ranges that are told apart. */
  int ranges() {
    return ranges.size();
  }

  /** Lets the object escape; returns whether it had not escaped before. */
  boolean escape() {
    boolean news = !escaped;
    escaped = true;
    return news;
  }

  /** Joins a value to the content at one offset; returns whether the content changed. */
  boolean store(long offset, int width, Provenance value) {
    return store(offset, 0, width, value);
  }

  /** Joins a value to the content at one of some offsets; returns whether the content changed. */
  boolean store(long offset, int span, int width, Provenance value) {
    if (size >= CodeLimits.VARIABLE_OFFSETS) {
      return storeAnywhere(width, value);
    }
    if (span > 0) {
      Range range = new Range(offset, span);
      boolean isToldApart = ranges.size() < MAX_RANGES || ranges.containsKey(range);
      return isToldApart
          ? add(ranges.computeIfAbsent(range, r -> new HashMap<>(2)), width, value)
          : storeAnywhere(width, value);
    }
    Map<Integer, Slot> here = slots.computeIfAbsent(offset, o -> new HashMap<>(2));
    return add(here, width, value);
  }

  boolean storeAnywhere(int width, Provenance value) {
    return add(anywhere, width, value);
  }

  private boolean add(Map<Integer, Slot> place, int width, Provenance value) {
    Slot slot = place.get(width);
    if (slot == null) {
      slot = new Slot(width);
      place.put(width, slot);
      size++;
    }
    Provenance joined = slot.value.join(ProvenanceArithmetic.held(value, width * 8));
    if (joined.equals(slot.value)) {
      return false;
    }
    if (++slot.changes > WIDENING_DELAY) {
      Provenance widened = joined.widened();
      if (widened.equals(slot.value)) {
        return false;
      }
      joined = widened;
    }
    slot.set(joined);
    Slot changed = slot;
    foundAnywhere.replaceAll((load, found) -> found.join(changed.part(load)));
    return true;
  }

  /** Joins the content of another object to this one; returns whether the content changed. */
  boolean storeAll(MemoryObject other) {
    boolean changed = false;
    for (Map.Entry<Long, Map<Integer, Slot>> place : other.slots.entrySet()) {
      for (Map.Entry<Integer, Slot> slot : place.getValue().entrySet()) {
        changed |= store(place.getKey(), slot.getKey(), slot.getValue().value);
      }
    }
    for (Map.Entry<Range, Map<Integer, Slot>> place : other.ranges.entrySet()) {
      for (Map.Entry<Integer, Slot> slot : place.getValue().entrySet()) {
        Range range = place.getKey();
        changed |= store(range.offset(), range.span(), slot.getKey(), slot.getValue().value);
      }
    }
    for (Map.Entry<Integer, Slot> slot : other.anywhere.entrySet()) {
      changed |= storeAnywhere(slot.getKey(), slot.getValue().value);
    }
    return changed;
  }

  /** Returns the values of all slots. */
  List<Provenance> contents() {
    List<Provenance> contents = new ArrayList<>();
    slots.values().forEach(place -> place.values().forEach(slot -> contents.add(slot.value)));
    contents.addAll(unplaced());
    return contents;
  }

  /** Returns the values of the slots that are at no single offset. */
  private List<Provenance> unplaced() {
    List<Provenance> unplaced = new ArrayList<>();
    ranges.values().forEach(place -> place.values().forEach(slot -> unplaced.add(slot.value)));
    anywhere.values().forEach(slot -> unplaced.add(slot.value));
    return unplaced;
  }

  /** Returns the values that may lie from an offset on without a gap. */
  List<Provenance> run(long offset) {
    List<Provenance> run = new ArrayList<>();
    long end = offset;
    for (Map.Entry<Long, Map<Integer, Slot>> place : slots.tailMap(offset).entrySet()) {
      // Eight bytes are the widest gap that alignment leaves between two arguments.
      if (place.getKey() > end + 8) {
        break;
      }
      for (Map.Entry<Integer, Slot> slot : place.getValue().entrySet()) {
        run.add(slot.getValue().value);
        end = Math.max(end, place.getKey() + slot.getKey());
      }
    }
    run.addAll(unplaced());
    return run;
  }

  boolean hasNoOrigin() {
    return contents().stream().allMatch(Provenance::hasNoOrigin);
  }

  /**
   * Returns the value that a load of this width at one of some offsets may find; bottom if nothing
   * was stored there.
   */
  Provenance load(long offset, int span, int width) {
    if (span == 0) {
      return load(offset, width);
    }
    Provenance found = loadUnplaced(offset, span, width);
    for (Map.Entry<Long, Map<Integer, Slot>> place :
        slots.subMap(offset - WIDEST, false, offset + span + width, false).entrySet()) {
      for (Map.Entry<Integer, Slot> slot : place.getValue().entrySet()) {
        if (place.getKey() + slot.getKey() > offset) {
          found = found.join(slot.getValue().part(width));
        }
      }
    }
    return found;
  }

  private Provenance loadUnplaced(long offset, int span, int width) {
    Provenance found = loadAnywhere(anywhere, width);
    for (Map.Entry<Range, Map<Integer, Slot>> place : ranges.entrySet()) {
      for (Map.Entry<Integer, Slot> slot : place.getValue().entrySet()) {
        if (place.getKey().meets(slot.getKey(), offset, span, width)) {
          found = found.join(slot.getValue().part(width));
        }
      }
    }
    return found;
  }

  /** Returns the value that a load of this width may find; bottom if nothing was stored there. */
  Provenance load(long offset, int width) {
    Provenance found = loadUnplaced(offset, 0, width);
    Provenance pieces = Provenance.ZERO;
    boolean pieced = false;
    for (Map.Entry<Long, Map<Integer, Slot>> place :
        slots.subMap(offset - WIDEST, false, offset + width, false).entrySet()) {
      for (Map.Entry<Integer, Slot> slot : place.getValue().entrySet()) {
        long start = place.getKey();
        long end = start + slot.getKey();
        if (end <= offset) {
          continue;
        }
        Provenance value = slot.getValue().value;
        if (start == offset && end == offset + width) {
          found = found.join(value);
        } else if (start <= offset && end >= offset + width) {
          found = found.join(BitArithmetic.part(value));
        } else if (!value.isBottom()) {
          boolean whole = start >= offset && end <= offset + width;
          Provenance piece = whole ? value : BitArithmetic.part(value);
          pieces = pieced ? BitArithmetic.assemble(pieces, piece) : piece;
          pieced = true;
        }
      }
    }
    // A piece may lie anywhere in the value, and others may have replaced bytes of it.
    return pieced ? found.join(pieces.map(Derivation::unbounded)) : found;
  }

  /** Returns the value that a load at an unknown offset may find. */
  Provenance loadAnywhere(int width) {
    Provenance known = foundAnywhere.get(width);
    if (known != null) {
      return known;
    }
    Provenance found = loadAnywhere(anywhere, width);
    for (Map<Integer, Slot> place : slots.values()) {
      found = found.join(loadAnywhere(place, width));
    }
    for (Map<Integer, Slot> place : ranges.values()) {
      found = found.join(loadAnywhere(place, width));
    }
    foundAnywhere.put(width, found);
    return found;
  }

  private static Provenance loadAnywhere(Map<Integer, Slot> place, int width) {
    Provenance found = Provenance.BOTTOM;
    for (Slot slot : place.values()) {
      found = found.join(slot.part(width));
    }
    return found;
  }
}

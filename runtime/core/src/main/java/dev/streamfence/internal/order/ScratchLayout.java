package dev.streamfence.internal.order;

import dev.streamfence.internal.order.RecordedNode.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets memory that only the nodes of a graph use share bytes: the nodes of one come before all
 * nodes of the other, so that no edge has to be added. Confined to the thread that records.
 */
final class ScratchLayout {
  /** Memory whose content no other work and no later run sees. */
  static final class Scratch {
    private final HazardState state;
    private final KnownMemory memory;
    private final List<RecordedNode> users = new ArrayList<>();

    Scratch(HazardState state, KnownMemory memory) {
      this.state = state;
      this.memory = memory;
    }

    HazardState state() {
      return state;
    }

    KnownMemory memory() {
      return memory;
    }
  }

  /** Whether one node comes before another. */
  @FunctionalInterface
  interface Before {
    boolean test(RecordedNode one, RecordedNode other);
  }

  private final TreeMap<Long, Scratch> byAddress = new TreeMap<>();
  private final Before before;

  ScratchLayout(Before before) {
    this.before = before;
  }

  /** Adds memory. */
  void add(Scratch scratch) {
    byAddress.put(scratch.memory.address(), scratch);
  }

  /** Finds the users; memory whose address cannot change is left as it is. */
  void use(RecordedNode node) {
    for (Range range : node.ranges()) {
      Scratch used = at(range.address());
      if (used == null) {
        continue;
      }
      if (range.slot() == Range.FIXED) {
        byAddress.remove(used.memory.address());
      } else {
        used.users.add(node);
      }
    }
  }

  private @Nullable Scratch at(long address) {
    Map.Entry<Long, Scratch> floor = byAddress.floorEntry(address);
    return floor != null && address - floor.getKey() < floor.getValue().memory.sizeInBytes()
        ? floor.getValue()
        : null;
  }

  /** What can be given up, and what stands for it instead. */
  Map<Scratch, Scratch> replacements() {
    List<Scratch> largestFirst = new ArrayList<>(byAddress.values());
    // Nothing would order the free of memory that only others' nodes use with their runs.
    largestFirst.removeIf(scratch -> scratch.users.isEmpty());
    largestFirst.sort(
        Comparator.comparingLong((Scratch scratch) -> scratch.memory.sizeInBytes()).reversed());
    List<List<Scratch>> places = new ArrayList<>();
    Map<Scratch, Scratch> replacements = new LinkedHashMap<>();
    for (Scratch next : largestFirst) {
      List<Scratch> place = null;
      for (List<Scratch> each : places) {
        if (each.stream().allMatch(other -> isApart(next, other))) {
          place = each;
          break;
        }
      }
      if (place == null) {
        place = new ArrayList<>(1);
        places.add(place);
      } else {
        replacements.put(next, place.get(0));
      }
      place.add(next);
    }
    return replacements;
  }

  private boolean isApart(Scratch one, Scratch other) {
    return isBefore(one, other) || isBefore(other, one);
  }

  private boolean isBefore(Scratch one, Scratch other) {
    return one.users.stream()
        .allMatch(first -> other.users.stream().allMatch(second -> before.test(first, second)));
  }
}

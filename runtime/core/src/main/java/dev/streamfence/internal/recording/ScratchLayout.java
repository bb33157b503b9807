package dev.streamfence.internal.recording;

import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.KnownMemory;
import dev.streamfence.internal.recording.RecordedNode.Range;
import dev.streamfence.trace.WorkKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds arrays that can share bytes: all nodes that use one come before all nodes that use the
 * other. It adds no edges. What an array had before a run, and what a run leaves there, must not
 * matter. Confined to the thread that records.
 */
final class ScratchLayout {
  /** So many places are tried for an array before it keeps its own. */
  private static final int MOST_TRIES = 64;

  /** An array of which only nodes of the graph see the content. */
  static final class Scratch {
    private final HazardState state;
    private final KnownMemory memory;

    /** In the order of the recording, as {@link ScratchLayout#repeated} sees them. */
    private final List<RecordedNode> users = new ArrayList<>();

    private Scratch(HazardState state, KnownMemory memory) {
      this.state = state;
      this.memory = memory;
    }

    HazardState state() {
      return state;
    }

    KnownMemory memory() {
      return memory;
    }

    private int firstUse() {
      return users.get(0).index();
    }
  }

  private final List<RecordedNode> nodes;
  private final NodeOrder outermost;
  private final Map<Integer, NodeOrder> inner;
  private final TreeMap<Long, Scratch> byAddress = new TreeMap<>();

  /**
   * Creates an empty layout.
   *
   * @param nodes all nodes, by their indices
   * @param inner the order of the nodes of each condition, by its index
   */
  ScratchLayout(List<RecordedNode> nodes, NodeOrder outermost, Map<Integer, NodeOrder> inner) {
    this.nodes = nodes;
    this.outermost = outermost;
    this.inner = inner;
  }

  /** Adds an array that nothing but nodes of the graph can use any more. */
  void add(HazardState state, KnownMemory memory) {
    byAddress.put(memory.address(), new Scratch(state, memory));
  }

  /** What can be given up, and what stands for it instead. */
  Map<Scratch, Scratch> replacements() {
    nodes.forEach(this::addUser);
    List<Scratch> largestFirst = new ArrayList<>(byAddress.values());
    largestFirst.removeIf(scratch -> !isWholeContentOfEachRun(scratch));
    largestFirst.sort(
        Comparator.comparingLong((Scratch scratch) -> -scratch.memory.sizeInBytes())
            .thenComparingInt(Scratch::firstUse));
    List<Place> places = new ArrayList<>();
    Map<Scratch, Scratch> replacements = new LinkedHashMap<>();
    for (Scratch next : largestFirst) {
      Scratch stands = null;
      for (int i = 0; i < Math.min(places.size(), MOST_TRIES) && stands == null; i++) {
        stands = places.get(i).tryAdd(next);
      }
      if (stands == null) {
        places.add(new Place(next));
      } else {
        replacements.put(next, stands);
      }
    }
    return replacements;
  }

  /** Some bytes, and the arrays that have them one after the other, in that order. */
  private final class Place {
    private final Scratch largest;
    private final List<Scratch> inOrder = new ArrayList<>(1);

    private Place(Scratch largest) {
      this.largest = largest;
      inOrder.add(largest);
    }

    /** Adds an array if it fits between two others; returns the one that it shares the bytes of. */
    private @Nullable Scratch tryAdd(Scratch added) {
      int from = 0;
      int to = inOrder.size();
      while (from < to) {
        int middle = (from + to) >>> 1;
        if (isBefore(added, inOrder.get(middle))) {
          to = middle;
        } else {
          from = middle + 1;
        }
      }
      // All before come before the last of them, and so before the array if that one does.
      if (from > 0 && !isBefore(inOrder.get(from - 1), added)) {
        return null;
      }
      inOrder.add(from, added);
      return largest;
    }
  }

  /** An array whose address cannot change keeps its bytes. */
  private void addUser(RecordedNode node) {
    for (Range range : node.ranges()) {
      Scratch used = at(range.address());
      if (used == null) {
        continue;
      }
      if (range.slot() == Range.FIXED) {
        byAddress.remove(used.memory.address());
      } else {
        used.users.add(used.users.isEmpty() ? node : repeated(node, used.users.get(0)));
      }
    }
  }

  /**
   * What stands for a node that uses an array: the outermost loop around it that the first node to
   * use the array is not in, or else the node itself. Content from before such a loop lasts through
   * all its passes, also where a pass writes some of it.
   */
  private RecordedNode repeated(RecordedNode node, RecordedNode first) {
    RecordedNode outermostLoop = node;
    for (int parent = node.parent(); parent > first.parent(); ) {
      RecordedNode around = nodes.get(parent);
      if (isLoop(around)) {
        outermostLoop = around;
      }
      parent = around.parent();
    }
    return outermostLoop;
  }

  private @Nullable Scratch at(long address) {
    Map.Entry<Long, Scratch> floor = byAddress.floorEntry(address);
    return floor != null && address - floor.getKey() < floor.getValue().memory.sizeInBytes()
        ? floor.getValue()
        : null;
  }

  /**
   * Whether each run writes all that it reads. The first node writes all bytes for certain if it is
   * a copy or a fill of them all. A kernel may leave some as they are: that does not matter only if
   * they had no content, and no earlier pass of a loop has written them.
   */
  private boolean isWholeContentOfEachRun(Scratch scratch) {
    if (scratch.users.isEmpty() || isReadBeforeWritten(scratch.state)) {
      return false;
    }
    RecordedNode first = scratch.users.get(0);
    return first.ranges().stream().anyMatch(range -> isWhole(range, scratch.memory))
        && scratch.users.stream().allMatch(user -> isIn(first.parent(), user))
        && (first.facts().kind() != WorkKind.LAUNCH
            || (scratch.state.hasNoContent() && !isInLoop(first)));
  }

  private static boolean isWhole(Range range, KnownMemory memory) {
    return range.writes()
        && range.address() == memory.address()
        && range.bytes() == memory.sizeInBytes();
  }

  private boolean isReadBeforeWritten(HazardState state) {
    return !outermost.isWrittenBeforeRead(state)
        || inner.values().stream().anyMatch(order -> !order.isWrittenBeforeRead(state));
  }

  /** Whether a condition, or the graph itself, decides about a node. */
  private boolean isIn(int condition, RecordedNode node) {
    int parent = node.parent();
    while (parent > condition) {
      parent = nodes.get(parent).parent();
    }
    return parent == condition;
  }

  private boolean isInLoop(RecordedNode node) {
    for (int parent = node.parent(); parent >= 0; parent = nodes.get(parent).parent()) {
      if (isLoop(nodes.get(parent))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLoop(RecordedNode node) {
    GraphCondition condition = node.condition();
    return condition != null && condition.isLoop();
  }

  private boolean isBefore(Scratch one, Scratch other) {
    for (RecordedNode first : one.users) {
      for (RecordedNode second : other.users) {
        if (!isBefore(first, second)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether a node comes before another one in each run, or in each pass of a loop of both. */
  private boolean isBefore(RecordedNode one, RecordedNode other) {
    RecordedNode first = one;
    RecordedNode second = other;
    // A condition comes in front of its nodes, so the later one is not around both.
    while (first.parent() != second.parent()) {
      if (first.parent() > second.parent()) {
        first = nodes.get(first.parent());
      } else {
        second = nodes.get(second.parent());
      }
    }
    NodeOrder both = first.parent() < 0 ? outermost : inner.get(first.parent());
    return both != null && both.isBefore(first, second);
  }
}

package dev.streamfence.internal.recording;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Use;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Uses;
import dev.streamfence.internal.recording.RecordedGraph.TotalUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The order of the nodes of a graph, or of those that a condition repeats or leaves out: a use
 * comes after the last write of its memory, and a write also after the reads since then. Edges that
 * others imply are left out. Confined to the thread that runs the body.
 */
final class NodeOrder {
  /** The uses of some memory by the nodes so far. */
  private static final class StateUses {
    private @Nullable NodeUse lastWrite;
    private final List<NodeUse> readsSince = new ArrayList<>(2);

    /** Whether a node reads it that no node surely writes it before. */
    private boolean reads;

    private boolean writes;

    /** Whether a node writes it whenever these nodes run. */
    private boolean isSurelyWritten;

    /** The first node that reads it so, or else that uses it, for errors. */
    private AttemptedUse use;

    private StateUses(AttemptedUse use) {
      this.use = use;
    }
  }

  private record NodeUse(int node, boolean writes, String memory) {}

  /**
   * A node while edges are found. Each node continues the path of one that it comes after, or
   * begins a path; what comes before it is one position per path.
   */
  private static final class Place {
    private final int path;
    private final int position;
    private final int[] before;

    private Place(int path, int position, int[] before) {
      this.path = path;
      this.position = position;
      this.before = before;
    }
  }

  private final List<RecordedNode> nodes = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final List<Integer> lastOfPath = new ArrayList<>();
  private final List<GraphEdge> edges = new ArrayList<>();
  private final Map<HazardState, StateUses> states = new HashMap<>();
  private int impliedEdges;
  private boolean isSealed;

  // Of the work that is being recorded.
  private final TreeMap<Integer, List<String>> needed = new TreeMap<>();
  private int first;

  /** The nodes so far; each comes after earlier ones. */
  List<RecordedNode> nodes() {
    return nodes;
  }

  /** The edges so far, between the indices of nodes. */
  List<GraphEdge> edges() {
    return edges;
  }

  /** How many edges were left out, because others imply them. */
  int impliedEdges() {
    return impliedEdges;
  }

  /** Takes over the edges among the nodes that a condition has. */
  void addInner(NodeOrder inner) {
    edges.addAll(inner.edges);
    impliedEdges += inner.impliedEdges;
  }

  /** What the nodes use, in no order. */
  List<TotalUse> totalUses() {
    List<TotalUse> all = new ArrayList<>();
    states.forEach(
        (state, uses) -> {
          // A launch of no threads uses nothing.
          if (uses.reads || uses.writes) {
            all.add(new TotalUse(state, uses.reads, uses.writes, uses.use));
          }
        });
    return all;
  }

  /** Whether no node reads what some memory had before these nodes. */
  boolean isWrittenBeforeRead(HazardState state) {
    StateUses uses = states.get(state);
    return uses == null || !uses.reads;
  }

  /** Whether a node comes before another one. */
  boolean isBefore(RecordedNode one, RecordedNode other) {
    if (one == other) {
      return false;
    }
    Place first = places.get(one.place());
    int[] before = places.get(other.place()).before;
    return first.path < before.length && before[first.path] >= first.position;
  }

  /** Forgets memory that other memory stands for. */
  void giveUp(HazardState state) {
    states.remove(state);
  }

  /** Says that no node is added any more. */
  void seal() {
    isSealed = true;
  }

  /** Whether no node is added any more. */
  boolean isSealed() {
    return isSealed;
  }

  /** Forgets what only serves to add nodes. */
  void forget() {
    places.clear();
    lastOfPath.clear();
    states.clear();
  }

  /** Whether a node writes some memory. */
  boolean writes(HazardState state) {
    StateUses uses = states.get(state);
    return uses != null && uses.writes;
  }

  /** Begins a piece of work: finds the nodes that it comes after. */
  void begin(UseLabels labels, Uses uses) {
    needed.clear();
    first = nodes.size();
    for (int i = 0; i < uses.count(); i++) {
      collect(uses.get(i), labels);
    }
  }

  private void collect(Use use, UseLabels labels) {
    StateUses earlier = states.computeIfAbsent(use.state(), state -> new StateUses(labels.work()));
    String act = labels.facts().name() + (use.writes() ? " writes it" : " reads it");
    if (use.writes()) {
      earlier.readsSince.forEach(read -> need(read, act));
    }
    if (earlier.lastWrite != null) {
      need(earlier.lastWrite, act);
    }
  }

  private void need(NodeUse earlier, String act) {
    String reason =
        nodes.get(earlier.node()).facts().name()
            + (earlier.writes() ? " writes " : " reads ")
            + earlier.memory()
            + ", "
            + act;
    List<String> reasons = needed.computeIfAbsent(earlier.node(), node -> new ArrayList<>(1));
    if (!reasons.contains(reason)) {
      reasons.add(reason);
    }
  }

  /**
   * Ends a piece of work: later ones come after the nodes that it has made, all of them or, if it
   * has failed, some. Without a node, it uses nothing.
   */
  void end(UseLabels labels, Uses uses) {
    if (nodes.size() > first) {
      RecordedNode last = nodes.get(nodes.size() - 1);
      for (int i = 0; i < uses.count(); i++) {
        register(uses.get(i), last, labels);
      }
    }
  }

  private void register(Use use, RecordedNode last, UseLabels labels) {
    StateUses uses = requireNonNull(states.get(use.state()));
    boolean isExposed = use.reads() && !uses.isSurelyWritten;
    if ((isExposed && !uses.reads) || (!uses.reads && !uses.writes)) {
      uses.use = labels.use(use.reads() ? use.label() : use.writeLabel());
    }
    uses.reads |= isExposed;
    NodeUse added = new NodeUse(nodes.size() - 1, use.writes(), memory(use, labels));
    if (use.writes()) {
      uses.writes = true;
      uses.isSurelyWritten |= last.condition() == null;
      uses.lastWrite = added;
      uses.readsSince.clear();
    } else {
      uses.readsSince.add(added);
    }
  }

  private static String memory(Use use, UseLabels labels) {
    String parameter = labels.use(use.writes() ? use.writeLabel() : use.label()).parameter();
    String name = parameter.isEmpty() ? use.state().tag() : parameter;
    return name.isEmpty() ? use.state().inWords() : name;
  }

  /**
   * Orders the next node of the piece of work.
   *
   * @param index its index, for edges
   * @return the nodes that it comes after, by their place among these nodes
   */
  int[] orderNext(int index) {
    return nodes.size() == first ? orderFirst(index) : orderAfter(nodes.size() - 1, index);
  }

  /** Adds a node that was ordered. */
  void add(RecordedNode node) {
    nodes.add(node);
  }

  /** Orders the first node of a piece of work after all that it needs. */
  private int[] orderFirst(int index) {
    int[] before = {};
    for (int earlier : needed.keySet()) {
      before = later(before, places.get(earlier).before);
    }
    List<Integer> kept = new ArrayList<>();
    for (Map.Entry<Integer, List<String>> each : needed.entrySet()) {
      Place place = places.get(each.getKey());
      if (place.path < before.length && before[place.path] >= place.position) {
        impliedEdges++;
      } else {
        kept.add(each.getKey());
        addEdge(each.getKey(), index, each.getValue());
      }
    }
    return order(kept, before);
  }

  /** Orders a further node of a piece of work after the one before. */
  private int[] orderAfter(int previous, int index) {
    addEdge(previous, index, List.of("both are parts of one operation"));
    return order(List.of(previous), places.get(previous).before);
  }

  private void addEdge(int from, int to, List<String> reasons) {
    edges.add(new GraphEdge(nodes.get(from).index(), to, reasons));
  }

  private int[] order(List<Integer> after, int[] beforeThem) {
    int node = places.size();
    int[] before = beforeThem;
    int path = lastOfPath.size();
    for (int earlier : after) {
      Place place = places.get(earlier);
      if (before.length <= place.path) {
        before = Arrays.copyOf(before, place.path + 1);
      } else if (before == beforeThem) {
        before = beforeThem.clone();
      }
      before[place.path] = place.position;
      if (lastOfPath.get(place.path) == earlier) {
        path = place.path;
      }
    }
    if (path == lastOfPath.size()) {
      lastOfPath.add(node);
    }
    lastOfPath.set(path, node);
    places.add(new Place(path, path < before.length ? before[path] + 1 : 1, before));
    return after.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The maximum of two sets of positions. */
  private static int[] later(int[] one, int[] other) {
    int[] merged = Arrays.copyOf(one, Math.max(one.length, other.length));
    for (int i = 0; i < other.length; i++) {
      merged[i] = Math.max(merged[i], other[i]);
    }
    return merged;
  }
}

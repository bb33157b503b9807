package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * The values that a {@link Witness} can compute before a launch: all but those that depend on what
 * is loaded, on how often a loop with an unknown end runs, or on the comparison of an address.
 * Confined to one thread.
 */
final class LaunchValues {
  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final LoopEnds loopEnds;
  private final Dependences dependences;

  LaunchValues(NodeGraph nodes, ControlGraph graph, LoopEnds loopEnds, Dependences dependences) {
    this.nodes = nodes;
    this.graph = graph;
    this.loopEnds = loopEnds;
    this.dependences = dependences;
  }

  /** Whether the branches to an access and its address can be computed, at least in one launch. */
  boolean determine(CertainAccess access) {
    Deque<Node> open = new ArrayDeque<>(List.of(access.address()));
    access.conditions().forEach(way -> open.push(way.predicate()));
    BitSet seen = new BitSet();
    while (!open.isEmpty()) {
      Node node = open.pop();
      if (!seen.get(node.id)) {
        seen.set(node.id);
        if (!canBeComputed(node, access.loops(), open)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether a value can be computed if its inputs can be, which are added to the open ones. */
  private boolean canBeComputed(Node node, List<Loop> around, Deque<Node> open) {
    if (node.is(Operator.ITERATION)) {
      return isCounted(graph.loops().get((int) node.constant), around, open);
    }
    if (node.isCarried) {
      Loop loop = graph.loop(node.block);
      // In the first iteration a loop's phi has its first value, whatever the loop adds.
      open.push(node.input(0));
      return loop != null && isCounted(loop, around, open);
    }
    Node gate = node.gate;
    if (gate != null) {
      open.push(gate);
    }
    node.inputs.forEach(open::push);
    boolean isKnown = !node.is(Operator.UNKNOWN) && (!node.is(Operator.PHI) || gate != null);
    return isKnown && !comparesAddresses(node);
  }

  private boolean comparesAddresses(Node node) {
    return switch (node.operation) {
      case ADD, SUBTRACT, SELECT, PHI -> false;
      default -> node.inputs.stream().anyMatch(dependences::dependsOnAny);
    };
  }

  /** Whether the iteration of a loop is known: it is around the access, or has a known end. */
  private boolean isCounted(Loop loop, List<Loop> around, Deque<Node> open) {
    if (around.contains(loop)) {
      return true;
    }
    LoopEnd end = loopEnds.of(loop);
    if (end == null) {
      return false;
    }
    for (Polynomial each : List.of(end.first(), end.step())) {
      each.terms().forEach(term -> push(term.product().nodes(), open));
    }
    return true;
  }

  private void push(int[] ids, Deque<Node> open) {
    for (int id : ids) {
      open.push(nodes.node(id));
    }
  }
}

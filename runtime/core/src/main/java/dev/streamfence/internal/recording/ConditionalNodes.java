package dev.streamfence.internal.recording;

import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.recording.RecordedGraph.TotalUse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of a graph that a condition repeats or leaves out. Confined to the thread that runs the
 * body of the graph.
 */
public final class ConditionalNodes {
  private final RecordedGraph recording;
  private final @Nullable ConditionalNodes outer;
  private final int first;
  private final int index;
  private final NodeOrder order = new NodeOrder();
  private final int checksBefore;
  private final int transfersBefore;
  private final int usedBefore;

  /**
   * Begins nodes.
   *
   * @param outer those that the condition itself belongs to; null if there are none
   * @param first the number of nodes before them
   * @param checksBefore how many checks a run needs without them
   * @param transfersBefore how many copies between host and device there are without them
   * @param usedBefore how much memory the graph uses without them
   */
  ConditionalNodes(
      RecordedGraph recording,
      @Nullable ConditionalNodes outer,
      int first,
      int checksBefore,
      int transfersBefore,
      int usedBefore) {
    this.recording = recording;
    this.outer = outer;
    this.first = first;
    this.checksBefore = checksBefore;
    this.transfersBefore = transfersBefore;
    this.usedBefore = usedBefore;
    this.index = nextIndex(outer, first);
  }

  /** The index of the next node. Each condition that has not ended becomes a node before it. */
  static int nextIndex(@Nullable ConditionalNodes open, int nodes) {
    int index = nodes;
    for (ConditionalNodes each = open; each != null; each = each.outer) {
      index++;
    }
    return index;
  }

  /** The index of a condition among all nodes; -1 if there is none. */
  static int indexOf(@Nullable ConditionalNodes conditional) {
    return conditional == null ? -1 : conditional.index;
  }

  int index() {
    return index;
  }

  int checksBefore() {
    return checksBefore;
  }

  int transfersBefore() {
    return transfersBefore;
  }

  int usedBefore() {
    return usedBefore;
  }

  int first() {
    return first;
  }

  @Nullable ConditionalNodes outer() {
    return outer;
  }

  NodeOrder order() {
    return order;
  }

  /** Says that their code has returned. */
  public void end() {
    order.seal();
    recording.endConditional(this);
  }

  /** Takes them out of the graph, after their end, with what only they use. */
  public void drop(Teardown teardown) {
    recording.dropConditional(this, teardown);
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return order.nodes().isEmpty();
  }

  /** Whether one of them writes some memory. */
  public boolean writes(HazardState state) {
    return order.writes(state);
  }

  /** A stream that they name. */
  public Timeline timeline() {
    return order.nodes().get(0).timeline();
  }

  /** What they use. */
  public List<TotalUse> uses() {
    return order.totalUses();
  }
}

package dev.streamfence.graph;

import java.util.List;

/**
 * An edge of a graph: one node runs after another, in each pass if both belong to a loop. Edges
 * that others imply are left out. Immutable.
 *
 * @param from the index of the node that runs first
 * @param to the index of the node that waits for it
 * @param reasons why it waits, such as "saxpy writes y, reduce reads it"; unmodifiable
 */
public record GraphEdge(int from, int to, List<String> reasons) {
  /** Creates an edge. */
  public GraphEdge {
    reasons = List.copyOf(reasons);
  }
}

package dev.streamfence.graph;

import java.util.List;

/**
 * What a graph consists of, see {@link KernelGraph}: its launches refer to one such object.
 * Immutable.
 *
 * @param number its number among the graphs of this process, from 1: names need not differ
 * @param name its name
 * @param nodes its nodes, in the order of the recording; unmodifiable
 * @param edges its edges, in the order of the nodes that wait; unmodifiable
 */
public record GraphStructure(
    long number, String name, List<GraphNode> nodes, List<GraphEdge> edges) {
  /** The lists are copied. */
  public GraphStructure {
    nodes = List.copyOf(nodes);
    edges = List.copyOf(edges);
  }
}

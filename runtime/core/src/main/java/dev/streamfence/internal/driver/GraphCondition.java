package dev.streamfence.internal.driver;

import java.util.List;

/**
 * What a node of a graph is that repeats other nodes, or leaves them out. The condition is a number
 * of 32 bits in device memory: it is read when the node's turn comes and, in a loop, again after
 * each pass. Immutable.
 *
 * @param isLoop whether the nodes run as long as the number is not 0, instead of once
 * @param address the number's
 * @param nodes what runs; each comes after nodes of this list only
 */
public record GraphCondition(boolean isLoop, long address, List<? extends GraphNode> nodes) {
  /** Creates a condition. */
  public GraphCondition {
    nodes = List.copyOf(nodes);
  }
}

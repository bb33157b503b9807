package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.List;

/**
 * An access that a thread certainly makes if it gets to certain branches and goes certain ways
 * there, in a run that completes. Immutable.
 *
 * @param conditions the branches; where all predicates have the wanted values, the access is made
 * @param loops the loops around it, the outermost first
 * @param address its address
 * @param width how many bytes it touches
 */
record CertainAccess(
    Instruction instruction,
    boolean writes,
    List<Way> conditions,
    List<Loop> loops,
    Node address,
    int width) {
  /** A predicate and the value that leads to the access. */
  record Way(Node predicate, boolean holds) {}

  /** The same access under other conditions. */
  CertainAccess under(List<Way> others) {
    return new CertainAccess(instruction, writes, others, loops, address, width);
  }
}

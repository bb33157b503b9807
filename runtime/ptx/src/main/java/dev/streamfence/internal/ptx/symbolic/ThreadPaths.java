package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode.Control;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;

/** The paths that threads take through a kernel. Immutable. */
public final class ThreadPaths {
  private final FunctionFlow flow;
  private final ControlGraph graph;
  private final KernelValues values;
  private final CallEnds ends;

  /**
   * Creates the paths through a kernel.
   *
   * @param ends the calls that may end a thread
   */
  public ThreadPaths(FunctionFlow flow, ControlGraph graph, KernelValues values, CallEnds ends) {
    this.flow = flow;
    this.graph = graph;
    this.values = values;
    this.ends = ends;
  }

  /**
   * Whether a thread that ends makes an access on every path that its own values leave open.
   *
   * @param certain the blocks on all these paths, see {@link #certain}
   */
  public boolean areThrough(MemoryAccess access, ThreadEvaluation thread, BitSet certain) {
    return certain.get(access.block())
        && thread.holds(access.guard()).equals(Optional.of(true))
        && !mayEndBefore(access);
  }

  /**
   * The blocks that a thread that ends runs on every path that its own values leave open: the
   * dominators of the end. Apart from the ways back in loops, paths lead to blocks with larger
   * numbers, so one pass finds them.
   *
   * @param headers the loops whose first iteration the values are about; a path to a later one ends
   *     the thread
   */
  public BitSet certain(ThreadEvaluation thread, BitSet headers) {
    int end = graph.size();
    int[] dominators = new int[end + 1];
    Arrays.fill(dominators, ControlGraph.NONE);
    dominators[0] = 0;
    BitSet reached = new BitSet(end);
    for (int at = 0; at < end; at++) {
      if (dominators[at] == ControlGraph.NONE) {
        continue;
      }
      reached.set(at);
      Block code = graph.block(at);
      if (code.mayExit()) {
        lead(at, end, dominators);
      }
      Optional<Boolean> taken =
          code.branch() == null ? Optional.of(true) : thread.holds(values.condition(at));
      if (!taken.equals(Optional.of(false))) {
        follow(at, code.taken(), headers, dominators);
      }
      if (!taken.equals(Optional.of(true))) {
        follow(at, code.fallen(), headers, dominators);
      }
    }
    if (dominators[end] != ControlGraph.NONE) {
      reached.clear();
      for (int at = dominators[end]; !reached.get(at); at = dominators[at]) {
        reached.set(at);
      }
    }
    return reached;
  }

  private static void follow(int from, int to, BitSet headers, int[] dominators) {
    if (to > from) {
      lead(from, to, dominators);
    } else if (to < 0 || headers.get(to)) {
      lead(from, dominators.length - 1, dominators);
    }
  }

  private static void lead(int from, int to, int[] dominators) {
    dominators[to] =
        dominators[to] == ControlGraph.NONE
            ? from
            : ControlGraph.common(dominators, dominators[to], from);
  }

  private boolean mayEndBefore(MemoryAccess access) {
    for (int i = graph.block(access.block()).first(); i < access.index(); i++) {
      if (flow.rule(i).control() == Control.CALL && ends.mayExit(flow.instruction(i))) {
        return true;
      }
    }
    return false;
  }
}

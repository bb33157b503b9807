package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode.Control;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
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

  /** Whether a thread that ends makes an access on every path that its own values leave open. */
  public boolean areThrough(MemoryAccess access, ThreadEvaluation thread) {
    return areThrough(access, thread, new BitSet());
  }

  /**
   * Whether a thread that ends makes an access on every path that its own values leave open.
   *
   * @param headers the loops whose first iteration the values are about; a path to a later one does
   *     not count
   */
  public boolean areThrough(MemoryAccess access, ThreadEvaluation thread, BitSet headers) {
    if (!thread.holds(access.guard()).equals(Optional.of(true)) || mayEndBefore(access)) {
      return false;
    }
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>(List.of(0));
    boolean reached = false;
    while (!open.isEmpty()) {
      int at = open.remove();
      if (at < 0) {
        return false;
      }
      if (at == access.block()) {
        reached = true;
      } else if (!seen.get(at)) {
        seen.set(at);
        Block code = graph.block(at);
        if (code.mayExit()) {
          return false;
        }
        Optional<Boolean> taken =
            code.branch() == null ? Optional.of(true) : thread.holds(values.condition(at));
        if (!taken.equals(Optional.of(false))) {
          open.add(entersAgain(at, code.taken(), headers) ? -1 : code.taken());
        }
        if (!taken.equals(Optional.of(true))) {
          open.add(entersAgain(at, code.fallen(), headers) ? -1 : code.fallen());
        }
      }
    }
    return reached;
  }

  private boolean entersAgain(int block, int next, BitSet headers) {
    Loop loop = next >= 0 && headers.get(next) ? graph.loop(next) : null;
    return loop != null && loop.body.get(block);
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

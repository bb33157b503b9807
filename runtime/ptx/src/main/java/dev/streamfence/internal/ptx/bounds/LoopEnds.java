package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What ends the loops of a kernel, found once for each. Confined to one thread. */
final class LoopEnds {
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final NodeGraph nodes;
  private final Map<Integer, Optional<LoopEnd>> found = new HashMap<>();

  LoopEnds(ControlGraph graph, Guards guards, Formulas formulas, NodeGraph nodes) {
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.nodes = nodes;
  }

  /** The end of a loop; null if it is unknown, or too long a formula. */
  @Nullable LoopEnd of(Loop loop) {
    return found
        .computeIfAbsent(
            loop.index,
            index ->
                Optional.ofNullable(
                    WitnessPlanner.ifShort(() -> LoopEnd.of(loop, graph, guards, formulas, nodes))))
        .orElse(null);
  }
}

package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the variables of one state space, and nothing of what a launch passes. Confined to one
 * thread.
 */
public final class VariableLookup implements ArgumentLookup {
  private final NodeGraph nodes;
  private final StateSpace space;
  private final List<Variable> variables = new ArrayList<>();

  /** Creates a lookup that adds the addresses to a graph. */
  public VariableLookup(NodeGraph nodes, StateSpace space) {
    this.nodes = nodes;
    this.space = space;
  }

  /** The variables whose addresses were asked for, by the numbers of their bases. */
  public List<Variable> variables() {
    return Collections.unmodifiableList(variables);
  }

  @Override
  public @Nullable Node value(Variable parameter, long offset, int bits) {
    return null;
  }

  @Override
  public List<Node> addresses(Variable parameter, long offset, int bytes) {
    return List.of();
  }

  @Override
  public @Nullable Node address(Variable variable, long offset, int bits) {
    if (variable.space() != space || bits < Integer.SIZE) {
      return null;
    }
    int index = variables.indexOf(variable);
    if (index < 0) {
      index = variables.size();
      variables.add(variable);
    }
    return nodes.of(Operator.ADD, bits, nodes.base(index, bits), nodes.constant(offset, bits));
  }
}

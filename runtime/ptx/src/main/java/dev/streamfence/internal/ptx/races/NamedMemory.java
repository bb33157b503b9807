package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelParameters;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory whose addresses are followed: the arrays that a kernel receives, and the variables of
 * the module, of the block and of the thread. Confined to one thread.
 */
final class NamedMemory extends KernelParameters {
  private final NodeGraph nodes;
  private final int arrays;
  private final List<Variable> variables = new ArrayList<>();

  NamedMemory(
      NodeGraph nodes, PtxFunction function, List<ArrayPlace> arrays, List<ArrayPlace> tables) {
    super(nodes, function, arrays, tables);
    this.nodes = nodes;
    this.arrays = arrays.size();
  }

  /** The variable with the base of this index; null if it is an array of the kernel's. */
  @Nullable Variable variable(int index) {
    return index < arrays ? null : variables.get(index - arrays);
  }

  /** Whether threads of several blocks reach it. */
  boolean isGlobal(int index) {
    Variable variable = variable(index);
    return variable == null || variable.space() == StateSpace.GLOBAL;
  }

  /** Whether each thread has its own, or no thread writes it. */
  boolean isPrivate(int index) {
    Variable variable = variable(index);
    return variable != null
        && variable.space() != StateSpace.GLOBAL
        && variable.space() != StateSpace.SHARED;
  }

  @Override
  public boolean mayBeAddress(Node value) {
    return value.bits >= Integer.SIZE;
  }

  @Override
  public @Nullable Node address(Variable variable, long offset, int bits) {
    boolean isFollowed =
        switch (variable.space()) {
          case SHARED, GLOBAL, LOCAL, CONST -> bits >= Integer.SIZE;
          default -> false;
        };
    if (!isFollowed) {
      return null;
    }
    int index = 0;
    while (index < variables.size() && !isSame(variables.get(index), variable)) {
      index++;
    }
    if (index == variables.size()) {
      variables.add(variable);
    }
    return nodes.of(
        Operator.ADD, bits, nodes.base(arrays + index, bits), nodes.constant(offset, bits));
  }

  /** All arrays in shared memory whose size the launch sets begin at one address. */
  private static boolean isSame(Variable one, Variable other) {
    boolean areDynamic =
        one.space() == StateSpace.SHARED
            && other.space() == StateSpace.SHARED
            && one.external()
            && other.external();
    return areDynamic || one.equals(other);
  }
}

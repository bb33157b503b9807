package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelParameters;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory whose addresses are followed: the arrays that a kernel receives, and the variables of
 * the module, of the block and of the thread. Confined to one thread.
 */
final class NamedMemory extends KernelParameters {
  private final NodeGraph nodes;
  private final int arrays;
  private final LaunchSpace space;
  private final List<Variable> variables = new ArrayList<>();

  /** The names of the predefined registers that the code reads. */
  private final Set<String> read = new HashSet<>();

  NamedMemory(
      NodeGraph nodes,
      PtxFunction function,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      LaunchSpace space) {
    super(nodes, function, arrays, tables);
    this.nodes = nodes;
    this.arrays = arrays.size();
    this.space = space;
    for (Instruction instruction : function.instructions()) {
      for (Operand operand : instruction.operands()) {
        if (operand instanceof Operand.SpecialRegister special) {
          read.add(special.name());
        }
      }
    }
  }

  /** Code that does not read an index is written for one thread in that dimension. */
  @Override
  protected boolean isFlat(int dimension) {
    Special thread = Special.thread(dimension);
    return space.isFlat(thread)
        || (!space.hasSeveralThreads(dimension) && !read.contains(thread.register));
  }

  @Override
  public @Nullable Node number() {
    boolean hasRows = !isFlat(1) || !isFlat(2);
    boolean hasPlanes = !isFlat(2);
    return (hasRows && !isSizeRead(0)) || (hasPlanes && !isSizeRead(1)) ? null : super.number();
  }

  /** Whether the code is written for all sizes of blocks, or they have one. */
  private boolean isSizeRead(int dimension) {
    return space.threads(dimension) > 0 || read.contains(Special.blockSize(dimension).register);
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

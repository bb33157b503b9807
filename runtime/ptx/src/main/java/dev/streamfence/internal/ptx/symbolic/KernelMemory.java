package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a launch passes to a kernel, and the memory whose addresses are followed: the arrays that it
 * receives, and the variables of the module, of the block and of the thread. Confined to one
 * thread.
 */
public final class KernelMemory implements ArgumentLookup {
  private final NodeGraph nodes;
  private final PtxFunction function;
  private final List<ArrayPlace> arrays;
  private final List<ArrayPlace> tables;
  private final Map<Integer, NumberLimits> limits;
  private final int dimensions;
  private final List<NumberPlace> numbers = new ArrayList<>();
  private final Map<NumberPlace, Integer> indexes = new HashMap<>();

  /** The variables whose addresses the code takes, in the order of their bases. */
  private final List<Variable> variables = new ArrayList<>();

  /**
   * Creates the memory of a kernel.
   *
   * @param inputs with the arrays, by whose index their addresses are named; those of variables
   *     follow
   */
  KernelMemory(NodeGraph nodes, PtxFunction function, KernelInputs inputs) {
    this.nodes = nodes;
    this.function = function;
    this.arrays = inputs.arrays();
    this.tables = inputs.tables();
    this.limits = inputs.limits();
    this.dimensions = inputs.dimensions();
  }

  /** The numbers that were asked for, by whose index here they are named. */
  public List<NumberPlace> numbers() {
    return numbers;
  }

  @Override
  public @Nullable Node value(Variable variable, long offset, int bits) {
    List<PtxFunction.Formal> formals = function.parameters();
    for (int i = 0; i < formals.size(); i++) {
      if (!(formals.get(i) instanceof PtxFunction.Formal.InMemory formal)
          || formal.variable().id() != variable.id()) {
        continue;
      }
      int at = arrays.indexOf(new ArrayPlace(i, (int) offset));
      if (at >= 0 && bits == Long.SIZE) {
        return nodes.base(at);
      }
      if (tables.contains(new ArrayPlace(i, (int) offset)) && bits == Long.SIZE) {
        // The launch places a table after its bounds are checked.
        return nodes.unknown(bits, 0, List.of());
      }
      for (ArrayPlace array : arrays) {
        boolean overlaps =
            array.parameter() == i
                && offset < array.offset() + Long.BYTES
                && array.offset() < offset + bits / Byte.SIZE;
        if (overlaps) {
          int part = arrays.indexOf(array);
          return nodes.unknown(bits, 0, List.of(nodes.base(part)));
        }
      }
      return number(i, offset, bits, variable);
    }
    return null;
  }

  @Override
  public List<Node> addresses(Variable parameter, long offset, int bytes) {
    List<PtxFunction.Formal> formals = function.parameters();
    List<Node> found = new ArrayList<>();
    for (int i = 0; i < arrays.size(); i++) {
      ArrayPlace array = arrays.get(i);
      boolean isThere =
          formals.get(array.parameter()) instanceof PtxFunction.Formal.InMemory formal
              && formal.variable().id() == parameter.id();
      boolean overlaps =
          bytes == 0 || (offset < array.offset() + Long.BYTES && array.offset() < offset + bytes);
      if (isThere && overlaps) {
        found.add(nodes.base(i));
      }
    }
    return found;
  }

  @Override
  public boolean isNatural(Node address, int bytes) {
    Node base = limits.isEmpty() ? null : KernelValues.base(address);
    NumberLimits numbers = base == null ? null : limits.get((int) base.constant);
    return numbers != null && numbers.least() >= 0 && numbers.bytes() == bytes;
  }

  @Override
  public Node number() {
    Node number = nodes.special(Special.thread(dimensions - 1));
    for (int dimension = dimensions - 2; dimension >= 0; dimension--) {
      Node size = nodes.special(Special.blockSize(dimension));
      Node before = nodes.of(Operator.MULTIPLY, Integer.SIZE, number, size);
      Node thread = nodes.special(Special.thread(dimension));
      number = nodes.of(Operator.ADD, Integer.SIZE, before, thread);
    }
    return number;
  }

  private @Nullable Node number(int parameter, long offset, int bits, Variable variable) {
    if (offset < 0 || offset + bits / Byte.SIZE > variable.sizeInBytes() || bits < Byte.SIZE) {
      return null;
    }
    return nodes.argument(index(new NumberPlace(parameter, (int) offset, bits / Byte.SIZE)), bits);
  }

  /** The index of a number, which it has from now on. */
  public int index(NumberPlace number) {
    Integer index = indexes.putIfAbsent(number, numbers.size());
    if (index == null) {
      numbers.add(number);
      return numbers.size() - 1;
    }
    return index;
  }

  /** The variable with the base of this index; null if it is an array of the kernel's. */
  public @Nullable Variable variable(int index) {
    return index < arrays.size() ? null : variables.get(index - arrays.size());
  }

  /** Whether threads of several blocks reach it. */
  public boolean isGlobal(int index) {
    Variable variable = variable(index);
    return variable == null || variable.space() == StateSpace.GLOBAL;
  }

  /** Whether each thread has its own, or no thread writes it. */
  public boolean isPrivate(int index) {
    Variable variable = variable(index);
    return variable != null
        && variable.space() != StateSpace.GLOBAL
        && variable.space() != StateSpace.SHARED;
  }

  /** The bases of the variables that each thread has in its own memory. */
  BitSet locals() {
    BitSet found = new BitSet();
    for (int i = 0; i < variables.size(); i++) {
      found.set(arrays.size() + i, variables.get(i).space() == StateSpace.LOCAL);
    }
    return found;
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
    Node base = nodes.base(arrays.size() + index, bits, variables.get(index).alignment());
    return nodes.of(Operator.ADD, bits, base, nodes.constant(offset, bits));
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

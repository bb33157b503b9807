package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The arrays and numbers that a kernel receives as its parameters. Confined to one thread. */
public class KernelParameters implements ArgumentLookup {
  private final NodeGraph nodes;
  private final PtxFunction function;
  private final List<ArrayPlace> arrays;
  private final List<ArrayPlace> tables;
  private final List<NumberPlace> numbers = new ArrayList<>();

  /**
   * Creates the parameters of a kernel.
   *
   * @param arrays where it receives arrays, by whose index here their addresses are named
   * @param tables where it receives tables of arrays
   */
  public KernelParameters(
      NodeGraph nodes, PtxFunction function, List<ArrayPlace> arrays, List<ArrayPlace> tables) {
    this.nodes = nodes;
    this.function = function;
    this.arrays = arrays;
    this.tables = tables;
  }

  /** The numbers that the code loads, by whose index here they are named. */
  public final List<NumberPlace> numbers() {
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

  /** Whether blocks have one thread in a dimension, 0 for x to 2 for z. */
  protected boolean isFlat(int dimension) {
    return false;
  }

  @Override
  public @Nullable Node number() {
    int last = !isFlat(2) ? 2 : !isFlat(1) ? 1 : 0;
    Node number = nodes.special(Special.thread(last));
    for (int dimension = last - 1; dimension >= 0; dimension--) {
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
    NumberPlace place = new NumberPlace(parameter, (int) offset, bits / Byte.SIZE);
    int index = numbers.indexOf(place);
    if (index < 0) {
      index = numbers.size();
      numbers.add(place);
    }
    return nodes.argument(index, bits);
  }
}

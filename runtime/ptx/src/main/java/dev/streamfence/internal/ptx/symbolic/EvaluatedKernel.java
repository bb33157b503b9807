package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import java.util.BitSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values of a kernel. Analyses may add to their graph. Confined to one thread. */
public final class EvaluatedKernel {
  /** The most evaluations of a kernel; most that keep values in local memory take three. */
  private static final int MAX_ROUNDS = 5;

  private final KernelFlow kernel;
  private final NodeGraph nodes = new NodeGraph();
  private final KernelMemory memory;
  private final LocalCells cells;
  private final KernelValues values;
  private final Dependences dependences;
  private @Nullable Formulas formulas;

  private EvaluatedKernel(
      KernelFlow kernel, Function<NodeGraph, KernelMemory> memory, LocalCells cells) {
    this.kernel = kernel;
    this.memory = memory.apply(nodes);
    this.cells = cells;
    values = new KernelValues(kernel.flow(), kernel.graph(), nodes, this.memory, cells);
    values.evaluate();
    dependences = new Dependences(nodes);
  }

  /**
   * Evaluates a kernel, and finds the places in a thread's own memory whose values can be followed.
   *
   * @param memory creates the kernel's memory
   * @throws TooComplexException if it is too long or too involved
   */
  static EvaluatedKernel of(KernelFlow kernel, Function<NodeGraph, KernelMemory> memory) {
    EvaluatedKernel plain = new EvaluatedKernel(kernel, memory, LocalCells.NONE);
    if (plain.memory.locals().isEmpty()) {
      return plain;
    }
    try {
      EvaluatedKernel last = plain;
      for (int round = 1; ; round++) {
        BitSet locals = last.memory.locals();
        LocalCells next = LocalCells.of(last.values, last.dependences, locals);
        if (next.equals(last.cells)) {
          return LocalCells.areKept(last.values, last.dependences, locals) ? last : plain;
        }
        if (round == MAX_ROUNDS) {
          return plain;
        }
        last = new EvaluatedKernel(kernel, memory, next);
      }
    } catch (TooComplexException e) {
      // Then nothing is known of that memory.
      return plain;
    }
  }

  public NodeGraph nodes() {
    return nodes;
  }

  public KernelMemory memory() {
    return memory;
  }

  public KernelValues values() {
    return values;
  }

  /** From which addresses each value of the code is computed. */
  public Dependences dependences() {
    return dependences;
  }

  public Formulas formulas() {
    Formulas found = formulas == null ? new Formulas(nodes, kernel.graph(), guards()) : formulas;
    formulas = found;
    return found;
  }

  public Guards guards() {
    return new Guards(kernel.graph(), values);
  }
}

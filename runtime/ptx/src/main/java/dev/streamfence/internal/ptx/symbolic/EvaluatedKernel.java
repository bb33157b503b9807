package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values of a kernel. Analyses may add to their graph. Confined to one thread. */
public final class EvaluatedKernel {
  /** The most evaluations of a kernel; most take one, or two if addresses are kept in places. */
  private static final int MAX_ROUNDS = 5;

  private final KernelFlow kernel;
  private final NodeGraph nodes;
  private final KernelMemory memory;
  private final LocalCells cells;
  private final KernelValues values;
  private final Dependences dependences;
  private final KernelInputs inputs;
  private @Nullable Formulas formulas;
  private @Nullable LoadedNumbers loaded;

  private EvaluatedKernel(KernelFlow kernel, KernelInputs inputs, LocalCells cells) {
    this.kernel = kernel;
    this.inputs = inputs;
    this.nodes = new NodeGraph(kernel.flow().function().blockLimit());
    this.memory = new KernelMemory(nodes, kernel.flow().function(), inputs);
    this.cells = cells;
    values = new KernelValues(kernel.flow(), kernel.graph(), nodes, this.memory, cells);
    values.evaluate();
    dependences = new Dependences(nodes);
  }

  /**
   * Evaluates a kernel. The limits of arrays to which it may store do not count.
   *
   * @throws TooComplexException if it is too long or too involved
   */
  static EvaluatedKernel of(KernelFlow kernel, KernelInputs inputs) {
    EvaluatedKernel found = withCells(kernel, inputs);
    Set<Integer> stored = new HashSet<>(inputs.limits().keySet());
    stored.removeIf(found::isOnlyLoaded);
    return stored.isEmpty() ? found : withCells(kernel, inputs.withoutLimitsOf(stored));
  }

  /** Finds the places in a thread's own memory whose values can be followed as well. */
  private static EvaluatedKernel withCells(KernelFlow kernel, KernelInputs inputs) {
    try {
      LocalCells foreseen = ForeseenCells.of(kernel.flow(), kernel.graph());
      LocalCells cells = foreseen == null ? LocalCells.NONE : foreseen;
      for (int round = 0; round < MAX_ROUNDS; round++) {
        EvaluatedKernel found = new EvaluatedKernel(kernel, inputs, cells);
        BitSet locals = found.memory.locals();
        if (locals.isEmpty()) {
          return found;
        }
        boolean areKept = LocalCells.areKept(found.values, found.dependences, locals);
        if (!areKept && foreseen == null && round == 0) {
          // Without places, as none was foreseen.
          return found;
        }
        if (!areKept && round > 0) {
          // Further evaluations seldom keep an address that escapes although places are known; then
          // nothing is known of that memory.
          break;
        }
        cells = LocalCells.of(found.values, found.dependences, locals);
        if (cells.equals(found.cells)) {
          if (areKept) {
            return found;
          }
          break;
        }
      }
    } catch (TooComplexException e) {
      // Then nothing is known of that memory.
    }
    return new EvaluatedKernel(kernel, inputs, LocalCells.NONE);
  }

  /**
   * Whether the kernel loads from an array what is declared of it: it stores nothing there, and no
   * address that seems to lie there is computed from another one too.
   */
  private boolean isOnlyLoaded(int array) {
    return values.escaping().stream().noneMatch(value -> dependences.dependsOn(value, array))
        && values.accesses().stream()
            .filter(access -> dependences.dependsOn(access.address(), array))
            .allMatch(
                access ->
                    access.instruction().opcode().startsWith("ld")
                        && !isAmbiguous(access.address(), array));
  }

  private boolean isAmbiguous(Node address, int array) {
    Node base = KernelValues.base(address);
    return base != null && base.constant == array && dependences.bases(address).cardinality() > 1;
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

  /** What is declared of the numbers that it loads. */
  public LoadedNumbers loaded() {
    LoadedNumbers found =
        loaded == null ? new LoadedNumbers(this, inputs.limits(), inputs.stored()) : loaded;
    loaded = found;
    return found;
  }

  public Guards guards() {
    return new Guards(kernel.graph(), nodes, values);
  }
}

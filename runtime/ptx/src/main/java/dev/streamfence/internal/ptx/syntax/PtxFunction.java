package dev.streamfence.internal.ptx.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parsed {@code .entry}, {@code .func} or call prototype.
 *
 * @param returns its results, empty for an entry
 * @param blockLimit the block sizes that it allows, null if it does not restrict them
 * @param clusters the blocks of a cluster in each dimension; empty if it does not state them
 * @param hasBody false for a declaration
 * @param registers size of its register file
 * @param locals variables that its body declares, in all scopes
 */
public record PtxFunction(
    String name,
    int line,
    boolean entry,
    List<Formal> returns,
    List<Formal> parameters,
    @Nullable BlockLimit blockLimit,
    List<Integer> clusters,
    boolean hasBody,
    int registers,
    List<Variable> locals,
    List<Instruction> instructions) {

  /** A formal parameter or result: a variable in parameter space, or a register. */
  public sealed interface Formal {
    /** A formal in parameter space. */
    record InMemory(Variable variable) implements Formal {}

    /** A formal in a register. */
    record InRegister(Register register) implements Formal {}
  }

  /** Copies the lists. */
  public PtxFunction {
    returns = List.copyOf(returns);
    parameters = List.copyOf(parameters);
    locals = List.copyOf(locals);
    instructions = List.copyOf(instructions);
  }
}

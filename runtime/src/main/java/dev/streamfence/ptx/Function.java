package dev.streamfence.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parsed {@code .entry} or {@code .func}, or a prototype of one.
 *
 * @param returns what it gives back, empty for an entry
 * @param blockLimit what it says of its blocks, null if nothing
 * @param hasBody false for a declaration
 * @param registers size of its register file
 * @param locals variables that its body declares, in all its scopes
 */
record Function(
    String name,
    int line,
    boolean entry,
    List<Formal> returns,
    List<Formal> parameters,
    @Nullable BlockLimit blockLimit,
    boolean hasBody,
    int registers,
    List<Variable> locals,
    List<Instruction> instructions) {

  /** A formal parameter or result: a variable in parameter space, or a register. */
  sealed interface Formal {
    /** One in parameter space. */
    record InMemory(Variable variable) implements Formal {}

    /** One in a register. */
    record InRegister(Register register) implements Formal {}
  }

  Function {
    returns = List.copyOf(returns);
    parameters = List.copyOf(parameters);
    locals = List.copyOf(locals);
    instructions = List.copyOf(instructions);
  }
}

package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.Optional;

/** The functions and variables of a module that the code of its functions can name. */
public interface ModuleSymbols {
  /** Returns the code of a function that has a body. */
  Optional<Code> code(String name);

  /** Returns whether the module has a function of this name, with or without a body. */
  boolean isDeclared(String name);

  /** Returns the offset of a variable in constant memory. */
  long constantOffset(Variable variable);

  /** Returns the index of a variable among those in global memory. */
  int globalIndex(Variable variable);
}

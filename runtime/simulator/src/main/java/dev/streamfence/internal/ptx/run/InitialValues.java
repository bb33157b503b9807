package dev.streamfence.internal.ptx.run;

import dev.streamfence.internal.ptx.run.machine.Bytes;
import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.Windows;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Computes the initial bytes of variables, once all addresses are known. */
final class InitialValues {
  private final PtxProgram program;
  private final long[] addresses;
  private final Map<String, Variable> variables = new HashMap<>();

  InitialValues(PtxProgram program, long[] addresses) {
    this.program = program;
    this.addresses = addresses;
    for (Variable variable : program.module().variables()) {
      variables.put(variable.name(), variable);
    }
  }

  /** Refuses initial values that cannot be computed. */
  void check(List<Variable> globals, List<Variable> constants) {
    for (List<Variable> checked : List.of(globals, constants)) {
      for (Variable variable : checked) {
        for (Variable.Initializer initializer : variable.initializers()) {
          bits(variable, initializer.value());
        }
      }
    }
  }

  /** Writes a variable's initial bytes, zeros by default. */
  void write(Variable variable, long address, GlobalMemory memory) {
    int width = Math.min(8, variable.alignment());
    long size = variable.sizeInBytes();
    long at = 0;
    for (; at + width <= size; at += width) {
      memory.store(address + at, width, 0);
    }
    for (; at < size; at++) {
      memory.store(address + at, 1, 0);
    }
    int bytes = variable.type().bytes();
    for (Variable.Initializer initializer : variable.initializers()) {
      long value = bits(variable, initializer.value());
      memory.store(address + initializer.element() * bytes, bytes, value);
    }
  }

  /** Writes a constant variable's initial bytes. */
  void write(Variable variable, int offset, byte[] bank) {
    int bytes = variable.type().bytes();
    for (Variable.Initializer initializer : variable.initializers()) {
      Bytes.put(
          bank,
          offset + (int) (initializer.element() * bytes),
          bytes,
          bits(variable, initializer.value()));
    }
  }

  private long bits(Variable variable, Operand value) {
    if (value instanceof Operand.IntegerLiteral literal) {
      return literal.value();
    }
    if (value instanceof Operand.FloatLiteral literal) {
      return switch (variable.type()) {
        case F32 -> Float.floatToRawIntBits(literal.asFloat());
        case F64 -> Double.doubleToRawLongBits(literal.asDouble());
        default -> literal.bits();
      };
    }
    if (value instanceof Operand.GenericAddress generic) {
      return address(variable, generic.target(), true) + generic.offset();
    }
    if (value instanceof Operand.MaskedAddress masked) {
      long whole = bits(variable, masked.target());
      return (whole & masked.mask()) >>> Long.numberOfTrailingZeros(masked.mask());
    }
    return address(variable, value, false);
  }

  private long address(Variable holder, Operand operand, boolean generic) {
    if (operand instanceof Operand.VariableAddress use) {
      return address(use.variable(), generic) + use.offset();
    }
    if (operand instanceof Operand.Name name) {
      String wanted = name.label().name();
      Variable variable = variables.get(wanted);
      if (variable != null) {
        return address(variable, generic) + name.offset();
      }
      Code code = program.codes().get(wanted);
      if (code != null) {
        return Windows.FUNCTION + 16L * code.index;
      }
      throw new PtxException(
          holder.line(), "'" + holder.name() + "' starts with unknown '" + wanted + "'");
    }
    throw new PtxException(
        holder.line(), "'" + holder.name() + "' has an initial value that is not a constant");
  }

  private long address(Variable variable, boolean generic) {
    long base = generic ? Windows.base(variable.space()) : 0;
    return switch (variable.space()) {
      case GLOBAL -> addresses[program.globalIndex(variable)];
      case CONST -> base + program.constantLayout().offset(variable).orElseThrow();
      default -> base + program.module().commonShared().offset(variable).orElse(0L);
    };
  }
}

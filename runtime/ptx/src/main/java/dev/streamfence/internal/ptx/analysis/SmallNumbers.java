package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.ScalarType.NumberKind;

/**
 * Limits of the results of instructions with a constant operand, such as {@code and}. They say
 * which elements of a local array an index leads to. Stateless.
 */
final class SmallNumbers {
  /** Stands for a number that is not known, or below 0. */
  private static final long NONE = -1;

  private SmallNumbers() {}

  /** Returns the result with its limits, if the instruction has any. */
  static Provenance limited(Step step, ValueFlow values, Provenance result) {
    Instruction instruction = step.instruction();
    return switch (instruction.opcode()) {
      case "selp" -> {
        long first = constant(step, values, 1);
        long second = constant(step, values, 2);
        yield first == NONE || second == NONE
            ? result
            : limited(result, Math.min(first, second), Math.max(first, second));
      }
      case "and", "min", "rem", "shr", "bfe" -> {
        ScalarType type = instruction.type();
        long greatest =
            type == null || type.kind == NumberKind.FLOAT
                ? NONE
                : greatest(instruction.opcode(), type, step, values);
        yield greatest == NONE ? result : limited(result, 0, greatest);
      }
      default -> result;
    };
  }

  private static long greatest(String opcode, ScalarType type, Step step, ValueFlow values) {
    if (opcode.equals("and")) {
      return lesser(constant(step, values, 1), constant(step, values, 2));
    }
    if (type.kind == NumberKind.SIGNED) {
      return NONE;
    }
    return switch (opcode) {
      case "min" -> lesser(constant(step, values, 1), constant(step, values, 2));
      case "rem" -> Math.max(NONE, constant(step, values, 2) - 1);
      // Without a constant, these would be more ones than the type has bits.
      case "shr" -> ones(type.bits - constant(step, values, 2), type.bits);
      default -> ones(constant(step, values, 3), type.bits);
    };
  }

  private static Provenance limited(Provenance result, long least, long greatest) {
    return result.map(
        each -> each.isBounded() || each.hasObject() ? each : each.within(least, greatest));
  }

  private static long constant(Step step, ValueFlow values, int operand) {
    Long constant = values.source(step, operand).constant();
    return constant == null || constant < 0 ? NONE : constant;
  }

  private static long lesser(long a, long b) {
    return a == NONE || b == NONE ? Math.max(a, b) : Math.min(a, b);
  }

  /** Returns the number that consists of this many ones, if they are fewer than the width. */
  private static long ones(long count, int width) {
    return count >= 0 && count < width ? (1L << count) - 1 : NONE;
  }
}

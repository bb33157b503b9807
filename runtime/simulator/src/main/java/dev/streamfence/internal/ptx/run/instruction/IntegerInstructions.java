package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.ir.Computation;
import dev.streamfence.internal.ptx.ir.Operation;
import dev.streamfence.internal.ptx.run.arithmetic.Comparison;
import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/** Instructions that are an operation on integers, as the table of opcodes decodes them. */
final class IntegerInstructions {
  private IntegerInstructions() {}

  /** Makes the step of an instruction; empty if it is not just an operation on integers. */
  static Optional<Op> translate(Translation t) {
    return Computation.of(t.instruction()).flatMap(computation -> step(t, computation));
  }

  private static Optional<Op> step(Translation t, Computation computation) {
    ScalarType type = computation.type();
    ScalarType result = computation.result();
    List<ScalarType> sources = computation.sources();
    Comparison comparison = Comparison.of(computation.operation(), type);
    if (comparison != null) {
      return computation.then() == null
          ? Optional.of(compare(t, type, comparison))
          : Optional.empty();
    }
    return switch (computation.operation()) {
      case MOVE -> Optional.of(move(t, type));
      case SELECT -> Optional.of(select(t, type));
      case CONVERT -> Optional.of(convert(t, type, result));
      default ->
          switch (sources.size()) {
            case 1 ->
                IntegerArithmetic.unary(computation).map(f -> Steps.unary(t, result, type, f));
            case 2 ->
                IntegerArithmetic.binary(computation)
                    .map(f -> Steps.binary(t, result, type, sources.get(1), f));
            default ->
                IntegerArithmetic.ternary(computation)
                    .map(f -> Steps.ternary(t, result, type, sources.get(1), sources.get(2), f));
          };
    };
  }

  private static Op move(Translation t, ScalarType type) {
    int d = t.destination(0, type);
    if (t.operand(1) instanceof Operand.SpecialRegister special) {
      return SpecialRegisters.read(t, special.name(), d);
    }
    int x = t.source(1, type);
    long mask = type.mask();
    return lane -> {
      long[] r = lane.registers;
      r[d] = r[x] & mask;
    };
  }

  private static Op select(Translation t, ScalarType type) {
    int d = t.destination(0, type);
    int x = t.source(1, type);
    int y = t.source(2, type);
    int p = t.source(3, ScalarType.PRED);
    return lane -> {
      long[] r = lane.registers;
      r[d] = r[p] != 0 ? r[x] : r[y];
    };
  }

  private static Op compare(Translation t, ScalarType type, Comparison comparison) {
    int p = t.destination(0, ScalarType.PRED);
    int x = t.source(1, type);
    int y = t.source(2, type);
    return lane -> {
      long[] r = lane.registers;
      r[p] = comparison.test(r[x], r[y]) ? 1 : 0;
    };
  }

  private static Op convert(Translation t, ScalarType from, ScalarType to) {
    long mask = to.mask();
    return Steps.unary(t, to, from, filling(t, to, a -> IntegerArithmetic.extend(a, from) & mask));
  }

  /** A signed result fills a wider register with its sign. */
  static LongUnaryOperator filling(Translation t, ScalarType to, LongUnaryOperator f) {
    int width = FunctionTranslator.width(t.operand(0));
    if (!to.isSigned() || width <= to.bits) {
      return f;
    }
    long mask = width == 64 ? -1L : (1L << width) - 1;
    return a -> IntegerArithmetic.extend(f.applyAsLong(a), to) & mask;
  }

  /** Says why an instruction is not the operation of its row. */
  static Op refuse(Translation t) {
    Operation operation =
        Computation.operation(t.instruction())
            .orElseThrow(() -> t.unsupported("the simulated device does not know this opcode"));
    String part =
        operation.multiplies() ? t.anyOf("it needs .lo, .hi or .wide", "lo", "hi", "wide") : "";
    ScalarType type = t.type(operation::worksOn);
    if (part.equals("wide") && type.twice().isEmpty()) {
      throw t.unsupported(type + " has no type twice as wide");
    }
    t.expectOperands(1 + operation.arity(), 1 + operation.arity());
    t.finish();
    throw t.unsupported("an operand is not a register, a constant or an address");
  }
}

package dev.streamfence.internal.ptx.run.arithmetic;

import dev.streamfence.internal.ptx.ir.Operation;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares two register values of a type. */
@FunctionalInterface
public interface Comparison {
  boolean test(long a, long b);

  /** Every comparison that PTX has. */
  List<String> NAMES =
      List.of(
          "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
          "gtu", "geu", "num", "nan");

  /** Returns a comparison, if the type has it. */
  static Optional<Comparison> of(String name, ScalarType type) {
    return Optional.ofNullable(type.isFloat() ? ofFloats(name, type) : ofIntegers(name, type));
  }

  private static @Nullable Comparison ofIntegers(String name, ScalarType type) {
    return Operation.comparison(name)
        .map(operation -> of(operation, Operation.compared(name, type)))
        .orElse(null);
  }

  /** Returns a comparison of integers; null if the operation is none. */
  static @Nullable Comparison of(Operation operation, ScalarType type) {
    int shift = 64 - Math.min(64, type.bits);
    // Shifting up drops the bits above the type and keeps signed order; flipping the top bit turns
    // unsigned order into signed order.
    long flip = type.isSigned() ? 0 : Long.MIN_VALUE;
    return switch (operation) {
      case EQUAL -> (a, b) -> (a ^ b) << shift == 0;
      case NOT_EQUAL -> (a, b) -> (a ^ b) << shift != 0;
      case LESS -> (a, b) -> (a << shift ^ flip) < (b << shift ^ flip);
      case LESS_OR_EQUAL -> (a, b) -> (a << shift ^ flip) <= (b << shift ^ flip);
      case GREATER -> (a, b) -> (a << shift ^ flip) > (b << shift ^ flip);
      case GREATER_OR_EQUAL -> (a, b) -> (a << shift ^ flip) >= (b << shift ^ flip);
      default -> null;
    };
  }

  private static @Nullable Comparison ofFloats(String name, ScalarType type) {
    FloatFormat f = FloatFormat.of(type);
    return switch (name) {
      case "eq" -> (a, b) -> f.decode(a) == f.decode(b);
      case "ne" -> (a, b) -> f.decode(a) < f.decode(b) || f.decode(a) > f.decode(b);
      case "lt" -> (a, b) -> f.decode(a) < f.decode(b);
      case "le" -> (a, b) -> f.decode(a) <= f.decode(b);
      case "gt" -> (a, b) -> f.decode(a) > f.decode(b);
      case "ge" -> (a, b) -> f.decode(a) >= f.decode(b);
      case "equ" -> (a, b) -> !(f.decode(a) < f.decode(b) || f.decode(a) > f.decode(b));
      case "neu" -> (a, b) -> f.decode(a) != f.decode(b);
      case "ltu" -> (a, b) -> !(f.decode(a) >= f.decode(b));
      case "leu" -> (a, b) -> !(f.decode(a) > f.decode(b));
      case "gtu" -> (a, b) -> !(f.decode(a) <= f.decode(b));
      case "geu" -> (a, b) -> !(f.decode(a) < f.decode(b));
      case "num" -> (a, b) -> !f.isNaN(a) && !f.isNaN(b);
      case "nan" -> (a, b) -> f.isNaN(a) || f.isNaN(b);
      default -> null;
    };
  }
}

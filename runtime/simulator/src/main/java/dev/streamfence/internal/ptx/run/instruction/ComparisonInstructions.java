package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.Comparison;
import dev.streamfence.internal.ptx.run.arithmetic.FloatFormat;
import dev.streamfence.internal.ptx.run.arithmetic.Rounding;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/** Instructions that compare, and that choose between values. */
final class ComparisonInstructions {
  private ComparisonInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("setp", ComparisonInstructions::setPredicate);
    translators.put("set", ComparisonInstructions::set);
    translators.put("slct", ComparisonInstructions::selectBySign);
    translators.put("testp", ComparisonInstructions::test);
    translators.put("copysign", ComparisonInstructions::copySign);
  }

  /** An instruction's comparison, with the operation that combines it with a predicate. */
  private record Test(Comparison comparison, String combination, ScalarType type) {
    private boolean holds(long a, long b) {
      return comparison.test(a, b);
    }

    private long combine(boolean holds, long with) {
      long value = holds ? 1 : 0;
      return switch (combination) {
        case "and" -> value & with;
        case "or" -> value | with;
        case "xor" -> value ^ with;
        default -> value;
      };
    }
  }

  /** Takes the comparison and its type, which is the last remaining type. */
  private static Test comparison(Translation t) {
    String name = t.comparison().orElseThrow(() -> t.unsupported("it names no comparison"));
    String combination = t.oneOf("and", "or", "xor").orElse("");
    boolean flushes = t.has("ftz");
    ScalarType type = t.type();
    ScalarType scalar = scalar(type);
    Optional<Comparison> found = Comparison.of(name, scalar);
    Comparison comparison =
        found.orElseThrow(() -> t.unsupported("." + name + " does not compare " + type));
    if (flushes && type.isFloat()) {
      FloatFormat format = FloatFormat.of(scalar);
      return new Test(
          (a, b) -> comparison.test(format.flush(a), format.flush(b)), combination, type);
    }
    return new Test(comparison, combination, type);
  }

  private static ScalarType scalar(ScalarType type) {
    return switch (type) {
      case F16X2 -> ScalarType.F16;
      case BF16X2 -> ScalarType.BF16;
      default -> type;
    };
  }

  private static Op setPredicate(Translation t) {
    Test test = comparison(t);
    boolean combines = !test.combination.isEmpty();
    t.expectOperands(combines ? 4 : 3, combines ? 4 : 3);
    Operand first = t.operand(0);
    boolean two = first instanceof Operand.Pair;
    int p = two ? pair(t, true) : t.destination(0, ScalarType.PRED);
    int q = two ? pair(t, false) : -1;
    int x = t.source(1, test.type);
    int y = t.source(2, test.type);
    int c = combines ? t.source(3, ScalarType.PRED) : t.function().constant(0);
    if (scalar(test.type) != test.type) {
      if (!two) {
        throw t.unsupported("a comparison of pairs needs two predicates");
      }
      return lane -> {
        long[] r = lane.registers;
        long with = r[c];
        boolean low = test.holds(r[x] & 0xFFFF, r[y] & 0xFFFF);
        boolean high = test.holds(r[x] >>> 16 & 0xFFFF, r[y] >>> 16 & 0xFFFF);
        r[p] = test.combine(low, with);
        r[q] = test.combine(high, with);
      };
    }
    if (!two && !combines) {
      Comparison comparison = test.comparison;
      return lane -> {
        long[] r = lane.registers;
        r[p] = comparison.test(r[x], r[y]) ? 1 : 0;
      };
    }
    return lane -> {
      long[] r = lane.registers;
      boolean holds = test.holds(r[x], r[y]);
      long with = r[c];
      r[p] = test.combine(holds, with);
      if (two) {
        r[q] = test.combine(!holds, with);
      }
    };
  }

  private static int pair(Translation t, boolean first) {
    if (t.operand(0) instanceof Operand.Pair pair) {
      return t.function().destination(t, first ? pair.first() : pair.second(), ScalarType.PRED);
    }
    throw t.unsupported("it needs two predicates");
  }

  private static Op set(Translation t) {
    ScalarType result = t.type();
    Test test = comparison(t);
    boolean combines = !test.combination.isEmpty();
    t.expectOperands(combines ? 4 : 3, combines ? 4 : 3);
    int d = t.destination(0, result);
    int x = t.source(1, test.type);
    int y = t.source(2, test.type);
    int c = combines ? t.source(3, ScalarType.PRED) : t.function().constant(0);
    if (scalar(test.type) != test.type) {
      long one = truth(t, scalar(result) == result ? ScalarType.U16 : scalar(result));
      return lane -> {
        long[] r = lane.registers;
        long with = r[c];
        long low = test.combine(test.holds(r[x] & 0xFFFF, r[y] & 0xFFFF), with);
        long high = test.combine(test.holds(r[x] >>> 16 & 0xFFFF, r[y] >>> 16 & 0xFFFF), with);
        r[d] = (low != 0 ? one : 0) | (high != 0 ? one << 16 : 0);
      };
    }
    long one = truth(t, result);
    return lane -> {
      long[] r = lane.registers;
      r[d] = test.combine(test.holds(r[x], r[y]), r[c]) != 0 ? one : 0;
    };
  }

  /** Returns the representation of true in a type: one, or all bits. */
  private static long truth(Translation t, ScalarType type) {
    if (type.isFloat()) {
      return FloatFormat.of(type).encode(1, Rounding.NEAREST);
    }
    if (type.bits > 32 || type.bits < 16) {
      throw t.unsupported(type + " is not a type of result it has");
    }
    return type.mask();
  }

  private static Op selectBySign(Translation t) {
    boolean flushes = t.has("ftz");
    ScalarType type = t.type();
    ScalarType control = t.type();
    FloatFormat single = FloatFormat.of(ScalarType.F32);
    return switch (control) {
      case S32 -> Steps.ternary(t, type, type, type, control, (a, b, c) -> (int) c >= 0 ? a : b);
      case F32 ->
          Steps.ternary(
              t,
              type,
              type,
              type,
              control,
              (a, b, c) -> single.decode(flushes ? single.flush(c) : c) >= 0 ? a : b);
      default -> throw t.unsupported("it chooses by .s32 or .f32");
    };
  }

  private static Op test(Translation t) {
    String property =
        t.anyOf(
            "it names no property",
            "finite",
            "infinite",
            "number",
            "notanumber",
            "normal",
            "subnormal");
    ScalarType type = floatType(t);
    FloatFormat format = FloatFormat.of(type);
    double normal = format.smallestNormal();
    LongUnaryOperator test =
        a -> {
          double magnitude = Math.abs(format.decode(a));
          boolean finite = magnitude < Double.POSITIVE_INFINITY;
          boolean holds =
              switch (property) {
                case "finite" -> finite;
                case "infinite" -> Double.isInfinite(magnitude);
                case "number" -> !Double.isNaN(magnitude);
                case "notanumber" -> Double.isNaN(magnitude);
                // The ISA counts both zeros as normal.
                case "normal" -> finite && (magnitude >= normal || magnitude == 0);
                default -> magnitude > 0 && magnitude < normal;
              };
          return holds ? 1 : 0;
        };
    return Steps.unary(t, ScalarType.PRED, type, test);
  }

  private static Op copySign(Translation t) {
    ScalarType type = floatType(t);
    long sign = FloatFormat.of(type).signBit();
    return Steps.binary(t, type, (a, b) -> (b & ~sign) | (a & sign));
  }

  private static ScalarType floatType(Translation t) {
    return t.type(type -> type == ScalarType.F32 || type == ScalarType.F64);
  }
}

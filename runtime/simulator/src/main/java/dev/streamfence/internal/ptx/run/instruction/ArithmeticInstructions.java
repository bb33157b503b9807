package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** Instructions that add, multiply and divide, on integers and on floating-point numbers. */
final class ArithmeticInstructions {
  private static final String PART = "it needs .lo, .hi or .wide";

  private ArithmeticInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("add", t -> isFloat(t) ? FloatInstructions.add(t) : integerAdd(t, false));
    translators.put("sub", t -> isFloat(t) ? FloatInstructions.subtract(t) : integerAdd(t, true));
    translators.put("mul", t -> isFloat(t) ? FloatInstructions.multiply(t) : multiply(t));
    translators.put("mad", t -> isFloat(t) ? FloatInstructions.fma(t) : multiplyAdd(t));
    translators.put("fma", FloatInstructions::fma);
    translators.put(
        "div",
        t -> isFloat(t) ? FloatInstructions.divide(t) : binary(t, IntegerArithmetic::divide));
    translators.put("rem", t -> binary(t, IntegerArithmetic::remainder));
    translators.put(
        "abs",
        t -> isFloat(t) ? FloatInstructions.absolute(t) : unary(t, IntegerArithmetic::absolute));
    translators.put(
        "neg", t -> isFloat(t) ? FloatInstructions.negate(t) : unary(t, IntegerArithmetic::negate));
    translators.put("min", t -> extremum(t, true));
    translators.put("max", t -> extremum(t, false));
    translators.put("sad", ArithmeticInstructions::absoluteDifference);
    translators.put("mul24", ArithmeticInstructions::multiply24);
    translators.put("mad24", ArithmeticInstructions::multiplyAdd24);
    translators.put("dp4a", ArithmeticInstructions::dotProduct4);
    translators.put("dp2a", ArithmeticInstructions::dotProduct2);
  }

  private static boolean isFloat(Translation t) {
    return t.lastType().map(ScalarType::isFloat).orElse(false);
  }

  /** Takes a type, which must be an integer of a supported width. */
  private static ScalarType integer(Translation t, int least) {
    return t.type(
        type ->
            type.isInteger()
                && type.bits >= least
                && type.bits <= 64
                && type.kind != ScalarType.NumberKind.BITS);
  }

  private static Op integerAdd(Translation t, boolean subtract) {
    boolean saturates = t.has("sat");
    if (t.has("cc")) {
      return CarryInstructions.add(t, subtract, false, true);
    }
    ScalarType type = integer(t, 16);
    if (saturates) {
      if (type != ScalarType.S32) {
        throw t.unsupported(".sat needs .s32");
      }
      return Steps.binary(
          t,
          type,
          subtract
              ? (a, b) -> IntegerArithmetic.saturate32((long) (int) a - (int) b)
              : (a, b) -> IntegerArithmetic.saturate32((long) (int) a + (int) b));
    }
    return Steps.binary(
        t, type, subtract ? IntegerArithmetic.subtract(type) : IntegerArithmetic.add(type));
  }

  private static Op multiply(Translation t) {
    String part = t.anyOf(PART, "lo", "hi", "wide");
    ScalarType type = integer(t, 16);
    return Steps.binary(t, product(t, part, type), type, type, multiplier(part, type));
  }

  private static ScalarType product(Translation t, String part, ScalarType type) {
    if (!part.equals("wide")) {
      return type;
    }
    return switch (type) {
      case U16 -> ScalarType.U32;
      case S16 -> ScalarType.S32;
      case U32 -> ScalarType.U64;
      case S32 -> ScalarType.S64;
      default -> throw t.unsupported(type + " has no type twice as wide");
    };
  }

  private static LongBinaryOperator multiplier(String part, ScalarType type) {
    return switch (part) {
      case "lo" -> IntegerArithmetic.multiplyLow(type);
      case "hi" -> IntegerArithmetic.multiplyHigh(type);
      default -> IntegerArithmetic.multiplyWide(type);
    };
  }

  private static Op multiplyAdd(Translation t) {
    String part = t.anyOf(PART, "lo", "hi", "wide");
    boolean saturates = t.has("sat");
    if (t.has("cc")) {
      return CarryInstructions.multiplyAdd(t, part, false, true);
    }
    ScalarType type = integer(t, 16);
    ScalarType result = product(t, part, type);
    LongBinaryOperator multiply = multiplier(part, type);
    if (saturates) {
      if (type != ScalarType.S32 || !part.equals("hi")) {
        throw t.unsupported(".sat needs .hi and .s32");
      }
      return Steps.ternary(
          t,
          type,
          (a, b, c) ->
              IntegerArithmetic.saturate32((long) (int) multiply.applyAsLong(a, b) + (int) c));
    }
    long mask = result.mask();
    if (part.equals("lo")) {
      return Steps.ternary(t, type, (a, b, c) -> (a * b + c) & mask);
    }
    return Steps.ternary(
        t, result, type, type, result, (a, b, c) -> (multiply.applyAsLong(a, b) + c) & mask);
  }

  private static Op unary(Translation t, Function<ScalarType, LongUnaryOperator> f) {
    ScalarType type = integer(t, 16);
    return Steps.unary(t, type, f.apply(type));
  }

  private static Op binary(Translation t, Function<ScalarType, LongBinaryOperator> f) {
    ScalarType type = integer(t, 16);
    return Steps.binary(t, type, f.apply(type));
  }

  private static Op extremum(Translation t, boolean smaller) {
    if (isFloat(t)) {
      return FloatInstructions.extremum(t, smaller);
    }
    boolean rectifies = t.has("relu");
    ScalarType type = integer(t, 16);
    LongBinaryOperator choose = IntegerArithmetic.extremum(type, smaller);
    if (!rectifies) {
      return Steps.binary(t, type, choose);
    }
    if (type != ScalarType.S32) {
      throw t.unsupported(".relu needs .s32");
    }
    return Steps.binary(
        t, type, (a, b) -> Math.max(0, (int) choose.applyAsLong(a, b)) & 0xFFFF_FFFFL);
  }

  private static Op absoluteDifference(Translation t) {
    ScalarType type = integer(t, 16);
    return Steps.ternary(t, type, IntegerArithmetic.absoluteDifference(type));
  }

  private static Op multiply24(Translation t) {
    boolean high = t.anyOf(PART, "lo", "hi").equals("hi");
    ScalarType type = integer32(t);
    return Steps.binary(t, type, IntegerArithmetic.multiply24(type.isSigned(), high));
  }

  private static Op multiplyAdd24(Translation t) {
    boolean high = t.anyOf(PART, "lo", "hi").equals("hi");
    boolean saturates = t.has("sat");
    ScalarType type = integer32(t);
    LongBinaryOperator multiply = IntegerArithmetic.multiply24(type.isSigned(), high);
    return Steps.ternary(
        t,
        type,
        saturates
            ? (a, b, c) ->
                IntegerArithmetic.saturate32((long) (int) multiply.applyAsLong(a, b) + (int) c)
            : (a, b, c) -> (multiply.applyAsLong(a, b) + c) & 0xFFFF_FFFFL);
  }

  private static Op dotProduct4(Translation t) {
    ScalarType a = integer32(t);
    ScalarType b = integer32(t);
    return Steps.ternary(t, a, a, b, a, IntegerArithmetic.dotProduct4(a, b));
  }

  private static Op dotProduct2(Translation t) {
    boolean high = t.anyOf(PART, "lo", "hi").equals("hi");
    ScalarType a = integer32(t);
    ScalarType b = integer32(t);
    return Steps.ternary(t, a, a, b, a, IntegerArithmetic.dotProduct2(a, b, high));
  }

  private static ScalarType integer32(Translation t) {
    return t.type(type -> type == ScalarType.U32 || type == ScalarType.S32);
  }
}

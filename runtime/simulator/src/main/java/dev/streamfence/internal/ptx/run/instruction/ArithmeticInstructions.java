package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/**
 * Instructions that add, multiply and divide, but for the forms that are an {@link
 * IntegerInstructions integer operation}: on floating-point numbers, saturating, with a carry.
 */
final class ArithmeticInstructions {
  private static final String PART = "it needs .lo or .hi";

  private ArithmeticInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("add", t -> isFloat(t) ? FloatInstructions.add(t) : add(t, false));
    translators.put("sub", t -> isFloat(t) ? FloatInstructions.subtract(t) : add(t, true));
    translators.put("mul", t -> either(t, FloatInstructions::multiply));
    translators.put("mad", t -> isFloat(t) ? FloatInstructions.fma(t) : multiplyAdd(t));
    translators.put("fma", FloatInstructions::fma);
    translators.put("div", t -> either(t, FloatInstructions::divide));
    translators.put("abs", t -> either(t, FloatInstructions::absolute));
    translators.put("neg", t -> either(t, FloatInstructions::negate));
    translators.put("min", t -> extremum(t, true));
    translators.put("max", t -> extremum(t, false));
    translators.put("mul24", ArithmeticInstructions::multiply24);
    translators.put("mad24", ArithmeticInstructions::multiplyAdd24);
    translators.put("dp4a", ArithmeticInstructions::dotProduct4);
    translators.put("dp2a", ArithmeticInstructions::dotProduct2);
  }

  private static boolean isFloat(Translation t) {
    return t.lastType().map(ScalarType::isFloat).orElse(false);
  }

  private static Op either(Translation t, InstructionSet.Translator floats) {
    return isFloat(t) ? floats.translate(t) : IntegerInstructions.refuse(t);
  }

  private static Op add(Translation t, boolean subtract) {
    if (t.has("cc")) {
      return CarryInstructions.add(t, subtract, false, true);
    }
    if (!t.has("sat")) {
      return IntegerInstructions.refuse(t);
    }
    return Steps.binary(
        t,
        saturated(t, ".sat needs .s32"),
        subtract
            ? (a, b) -> IntegerArithmetic.saturate32((long) (int) a - (int) b)
            : (a, b) -> IntegerArithmetic.saturate32((long) (int) a + (int) b));
  }

  private static ScalarType saturated(Translation t, String otherwise) {
    ScalarType type = t.type();
    if (type != ScalarType.S32) {
      throw t.unsupported(otherwise);
    }
    return type;
  }

  /** The forms of an integer product and sum that saturate, or leave a carry. */
  private static Op multiplyAdd(Translation t) {
    if (t.instruction().has("cc")) {
      String part = t.anyOf("it needs .lo or .hi", "lo", "hi");
      t.has("cc");
      return CarryInstructions.multiplyAdd(t, part, false, true);
    }
    if (!t.has("sat")) {
      return IntegerInstructions.refuse(t);
    }
    String otherwise = ".sat needs .hi and .s32";
    t.anyOf(otherwise, "hi");
    ScalarType type = saturated(t, otherwise);
    LongBinaryOperator multiply = IntegerArithmetic.multiplyHigh(type);
    return Steps.ternary(
        t,
        type,
        (a, b, c) ->
            IntegerArithmetic.saturate32((long) (int) multiply.applyAsLong(a, b) + (int) c));
  }

  private static Op extremum(Translation t, boolean smaller) {
    if (isFloat(t)) {
      return FloatInstructions.extremum(t, smaller);
    }
    if (!t.has("relu")) {
      return IntegerInstructions.refuse(t);
    }
    ScalarType type = saturated(t, ".relu needs .s32");
    LongBinaryOperator choose = IntegerArithmetic.extremum(type, smaller);
    return Steps.binary(
        t, type, (a, b) -> Math.max(0, (int) choose.applyAsLong(a, b)) & 0xFFFF_FFFFL);
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

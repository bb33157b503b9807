package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/** Extended-precision arithmetic: instructions that read or write a thread's carry flag. */
final class CarryInstructions {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  private CarryInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("addc", t -> add(t, false, true, t.has("cc")));
    translators.put("subc", t -> add(t, true, true, t.has("cc")));
    translators.put(
        "madc", t -> multiplyAdd(t, t.anyOf("it needs .lo or .hi", "lo", "hi"), true, t.has("cc")));
  }

  private static ScalarType type(Translation t) {
    return t.type(type -> type.isInteger() && (type.bits == 32 || type.bits == 64));
  }

  static Op add(Translation t, boolean subtract, boolean carryIn, boolean carryOut) {
    ScalarType type = type(t);
    t.expectOperands(3, 3);
    int d = t.destination(0, type);
    int x = t.source(1, type);
    int y = t.source(2, type);
    boolean wide = type.bits == 64;
    return lane -> {
      long[] r = lane.registers;
      long in = carryIn ? lane.carry : 0;
      r[d] =
          subtract
              ? difference(lane, r[x], r[y], in, wide, carryOut)
              : sum(lane, r[x], r[y], in, wide, carryOut);
    };
  }

  private static long sum(Lane lane, long a, long b, long in, boolean wide, boolean out) {
    long sum = wide ? a + b + in : (a & LOW_32) + (b & LOW_32) + in;
    if (out) {
      lane.carry = wide ? ((a & b) | ((a | b) & ~sum)) >>> 63 : sum >>> 32;
    }
    return wide ? sum : sum & LOW_32;
  }

  private static long difference(Lane lane, long a, long b, long in, boolean wide, boolean out) {
    long difference = wide ? a - b - in : (a & LOW_32) - (b & LOW_32) - in;
    if (out) {
      lane.carry = wide ? ((~a & b) | ((~a | b) & difference)) >>> 63 : difference >>> 63;
    }
    return wide ? difference : difference & LOW_32;
  }

  static Op multiplyAdd(Translation t, String part, boolean carryIn, boolean carryOut) {
    ScalarType type = type(t);
    t.expectOperands(4, 4);
    LongBinaryOperator multiply =
        part.equals("hi")
            ? IntegerArithmetic.multiplyHigh(type)
            : IntegerArithmetic.multiplyLow(type);
    int d = t.destination(0, type);
    int x = t.source(1, type);
    int y = t.source(2, type);
    int z = t.source(3, type);
    boolean wide = type.bits == 64;
    return lane -> {
      long[] r = lane.registers;
      long in = carryIn ? lane.carry : 0;
      r[d] = sum(lane, multiply.applyAsLong(r[x], r[y]), r[z], in, wide, carryOut);
    };
  }
}

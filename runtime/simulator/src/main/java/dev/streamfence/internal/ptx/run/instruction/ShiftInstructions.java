package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;

/** Instructions that shift, and that extract and insert bit fields. */
final class ShiftInstructions {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  private ShiftInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("shf", ShiftInstructions::funnelShift);
    translators.put("bfi", ShiftInstructions::insertField);
    translators.put("szext", ShiftInstructions::extendFrom);
    translators.put("bmsk", ShiftInstructions::mask);
  }

  private static Op funnelShift(Translation t) {
    boolean left = t.anyOf("it needs .l or .r", "l", "r").equals("l");
    boolean wraps = wraps(t);
    ScalarType type = BitInstructions.bits(t, 32, 32);
    return Steps.ternary(
        t,
        type,
        type,
        type,
        ScalarType.B32,
        (a, b, c) -> {
          long both = b << 32 | (a & LOW_32);
          int n = (int) (wraps ? c & 31 : Math.min(c & LOW_32, 32));
          return left ? both << n >>> 32 : both >>> n & LOW_32;
        });
  }

  private static Op insertField(Translation t) {
    ScalarType type = BitInstructions.bits(t, 32, 64);
    t.expectOperands(5, 5);
    int d = t.destination(0, type);
    int x = t.source(1, type);
    int y = t.source(2, type);
    int p = t.source(3, ScalarType.B32);
    int l = t.source(4, ScalarType.B32);
    long mask = type.mask();
    int width = type.bits;
    return lane -> {
      long[] r = lane.registers;
      int position = (int) (r[p] & 0xFF);
      int length = (int) (r[l] & 0xFF);
      if (length == 0 || position >= width) {
        r[d] = r[y] & mask;
        return;
      }
      long ones = length >= 64 ? -1L : (1L << length) - 1;
      long field = ones << position;
      r[d] = ((r[y] & ~field) | ((r[x] << position) & field)) & mask;
    };
  }

  private static Op extendFrom(Translation t) {
    boolean wraps = wraps(t);
    ScalarType type = BitInstructions.bits(t, 32, 32);
    return Steps.binary(
        t,
        type,
        type,
        ScalarType.U32,
        (a, b) -> {
          long n = wraps ? b & 31 : Math.min(b & LOW_32, 32);
          return n == 0 ? 0 : IntegerArithmetic.field(a, 0, (int) n, type);
        });
  }

  private static Op mask(Translation t) {
    boolean wraps = wraps(t);
    ScalarType type = BitInstructions.bits(t, 32, 32);
    return Steps.binary(
        t,
        type,
        ScalarType.U32,
        ScalarType.U32,
        (a, b) -> {
          long from = wraps ? a & 31 : Math.min(a & LOW_32, 32);
          long length = wraps ? b & 31 : Math.min(b & LOW_32, 32);
          return (((1L << length) - 1) << from) & LOW_32;
        });
  }

  private static boolean wraps(Translation t) {
    return t.anyOf("it needs .wrap or .clamp", "wrap", "clamp").equals("wrap");
  }
}

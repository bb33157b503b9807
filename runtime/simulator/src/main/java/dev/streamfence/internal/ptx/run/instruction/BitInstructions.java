package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;

/** Instructions on bits: logic, counts, searches and permutations. */
final class BitInstructions {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  private BitInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("lop3", BitInstructions::logic3);
    translators.put("bfind", BitInstructions::findHighest);
    translators.put("fns", BitInstructions::findNth);
    translators.put("prmt", BitInstructions::permute);
  }

  static ScalarType bits(Translation t, int least, int most) {
    return t.type(type -> type.bits >= least && type.bits <= most && !type.isFloat());
  }

  private static Op logic3(Translation t) {
    ScalarType type = bits(t, 32, 32);
    t.expectOperands(5, 5);
    int d = t.destination(0, type);
    int x = t.source(1, type);
    int y = t.source(2, type);
    int z = t.source(3, type);
    int table = t.constant(4);
    return lane -> {
      long[] r = lane.registers;
      r[d] = lookUp(r[x], r[y], r[z], table);
    };
  }

  /** Combines three values bit by bit; the result is bit {@code 4a + 2b + c} of the table. */
  static long lookUp(long a, long b, long c, int table) {
    long result = 0;
    for (int i = 0; i < 8; i++) {
      if ((table >> i & 1) != 0) {
        long term = (i & 4) != 0 ? a : ~a;
        term &= (i & 2) != 0 ? b : ~b;
        term &= (i & 1) != 0 ? c : ~c;
        result |= term;
      }
    }
    return result & LOW_32;
  }

  /** Finds the highest bit, as the shift that moves it to the top. */
  private static Op findHighest(Translation t) {
    if (!t.has("shiftamt")) {
      return IntegerInstructions.refuse(t);
    }
    ScalarType type = bits(t, 32, 64);
    int top = type.bits - 1;
    return Steps.unary(
        t,
        ScalarType.U32,
        type,
        a -> {
          int position = IntegerArithmetic.highest(a, type);
          return position < 0 ? LOW_32 : top - position;
        });
  }

  private static Op findNth(Translation t) {
    bits(t, 32, 32);
    return Steps.ternary(
        t,
        ScalarType.B32,
        ScalarType.B32,
        ScalarType.B32,
        ScalarType.S32,
        (mask, base, offset) -> findNth((int) mask, (int) base, (int) offset));
  }

  /** Finds the n-th set bit from a base, upwards or downwards; the base itself counts. */
  static long findNth(int mask, int base, int offset) {
    int step = offset >= 0 ? 1 : -1;
    int missing = offset == 0 ? 1 : Math.abs(offset);
    int position = base;
    while (position >= 0 && position < 32) {
      if ((mask >> position & 1) != 0 && --missing == 0) {
        return position;
      }
      if (offset == 0) {
        break;
      }
      position += step;
    }
    return LOW_32;
  }

  private static Op permute(Translation t) {
    ScalarType type = bits(t, 32, 32);
    String mode = t.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16").orElse("");
    return Steps.ternary(
        t, type, (a, b, c) -> permute(b << 32 | (a & LOW_32), selection(mode, (int) c)));
  }

  /** Picks four of eight bytes; a selection's top bit asks for the byte's sign instead. */
  static long permute(long bytes, int selection) {
    long result = 0;
    for (int i = 0; i < 4; i++) {
      int select = selection >> (4 * i) & 0xF;
      long picked = bytes >>> (8 * (select & 7)) & 0xFF;
      if ((select & 8) != 0) {
        picked = (picked & 0x80) != 0 ? 0xFF : 0;
      }
      result |= picked << (8 * i);
    }
    return result;
  }

  private static int selection(String mode, int control) {
    if (mode.isEmpty()) {
      return control;
    }
    int n = control & 3;
    int selection = 0;
    for (int i = 0; i < 4; i++) {
      int pick =
          switch (mode) {
            case "f4e" -> n + i;
            case "b4e" -> n - i & 7;
            case "rc8" -> n;
            case "ecl" -> Math.max(n, i);
            case "ecr" -> Math.min(n, i);
            default -> (n & 1) * 2 + (i & 1);
          };
      selection |= pick << (4 * i);
    }
    return selection;
  }
}

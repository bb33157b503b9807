package dev.streamfence.ptx;

import java.util.Map;
import java.util.function.LongBinaryOperator;

/** Instructions on bits: logic, shifts, fields, counts and permutations. */
final class BitInstructions {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  private BitInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("and", t -> logic(t, (a, b) -> a & b));
    translators.put("or", t -> logic(t, (a, b) -> a | b));
    translators.put("xor", t -> logic(t, (a, b) -> a ^ b));
    translators.put("not", BitInstructions::not);
    translators.put("cnot", BitInstructions::logicalNot);
    translators.put("lop3", BitInstructions::logic3);
    translators.put("shl", BitInstructions::shiftLeft);
    translators.put("shr", BitInstructions::shiftRight);
    translators.put("shf", BitInstructions::funnelShift);
    translators.put("popc", t -> count(t, false));
    translators.put("clz", t -> count(t, true));
    translators.put("bfind", BitInstructions::findLeading);
    translators.put("brev", BitInstructions::reverse);
    translators.put("bfe", BitInstructions::extractField);
    translators.put("bfi", BitInstructions::insertField);
    translators.put("fns", BitInstructions::findNth);
    translators.put("prmt", BitInstructions::permute);
    translators.put("szext", BitInstructions::extendFrom);
    translators.put("bmsk", BitInstructions::mask);
  }

  private static ScalarType bits(Translation t, int least, int most) {
    ScalarType type = t.type();
    if (type.bits < least || type.bits > most || type.isFloat()) {
      throw t.unsupported(type + " is not a type it works on");
    }
    return type;
  }

  private static Op logic(Translation t, LongBinaryOperator f) {
    ScalarType type = t.type();
    if (type.bits > 64 || type.isFloat()) {
      throw t.unsupported(type + " is not a type it works on");
    }
    return Steps.binary(t, type, type, type, f);
  }

  private static Op not(Translation t) {
    ScalarType type = t.type();
    long mask = type.mask();
    return Steps.unary(t, type, type, a -> ~a & mask);
  }

  private static Op logicalNot(Translation t) {
    ScalarType type = bits(t, 16, 64);
    long mask = type.mask();
    return Steps.unary(t, type, type, a -> (a & mask) == 0 ? 1 : 0);
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

  /** Combines three values bit by bit; bit {@code 4a + 2b + c} of the table is the result. */
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

  private static Op shiftLeft(Translation t) {
    ScalarType type = bits(t, 16, 64);
    long mask = type.mask();
    int width = type.bits;
    return Steps.binary(
        t, type, type, ScalarType.B32, (a, b) -> (b & LOW_32) >= width ? 0 : (a << (int) b) & mask);
  }

  private static Op shiftRight(Translation t) {
    ScalarType type = bits(t, 16, 64);
    long mask = type.mask();
    int width = type.bits;
    if (type.isSigned()) {
      return Steps.binary(
          t,
          type,
          type,
          ScalarType.B32,
          (a, b) -> (IntegerArithmetic.extend(a, type) >> Math.min(b & LOW_32, width - 1)) & mask);
    }
    return Steps.binary(
        t,
        type,
        type,
        ScalarType.B32,
        (a, b) -> (b & LOW_32) >= width ? 0 : (a & mask) >>> (int) b);
  }

  private static Op funnelShift(Translation t) {
    boolean left =
        t.oneOf("l", "r").orElseThrow(() -> t.unsupported("it needs .l or .r")).equals("l");
    boolean wraps =
        t.oneOf("wrap", "clamp")
            .orElseThrow(() -> t.unsupported("it needs .wrap or .clamp"))
            .equals("wrap");
    ScalarType type = bits(t, 32, 32);
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

  private static Op count(Translation t, boolean leadingZeros) {
    ScalarType type = bits(t, 32, 64);
    long mask = type.mask();
    int unused = 64 - type.bits;
    return Steps.unary(
        t,
        ScalarType.U32,
        type,
        leadingZeros
            ? a -> Long.numberOfLeadingZeros(a & mask) - unused
            : a -> Long.bitCount(a & mask));
  }

  private static Op findLeading(Translation t) {
    boolean asShift = t.has("shiftamt");
    ScalarType type = bits(t, 32, 64);
    int top = type.bits - 1;
    return Steps.unary(
        t,
        ScalarType.U32,
        type,
        a -> {
          long value = IntegerArithmetic.extend(a, type);
          value = type.isSigned() && value < 0 ? ~value : value;
          if (value == 0) {
            return LOW_32;
          }
          int position = 63 - Long.numberOfLeadingZeros(value);
          return asShift ? top - position : position;
        });
  }

  private static Op reverse(Translation t) {
    ScalarType type = bits(t, 32, 64);
    int down = 64 - type.bits;
    return Steps.unary(t, type, type, a -> Long.reverse(a) >>> down);
  }

  private static Op extractField(Translation t) {
    ScalarType type = bits(t, 32, 64);
    return Steps.ternary(
        t,
        type,
        type,
        ScalarType.B32,
        ScalarType.B32,
        (a, b, c) -> field(a, (int) (b & 0xFF), (int) (c & 0xFF), type));
  }

  /** Extracts a field; bits beyond the value's end repeat its sign, or are zero. */
  static long field(long value, int position, int length, ScalarType type) {
    if (length == 0) {
      return 0;
    }
    int top = type.bits - 1;
    long extended = IntegerArithmetic.extend(value, type);
    long shifted =
        position <= top ? extended >> position : type.isSigned() && extended < 0 ? -1 : 0;
    if (type.bits == 64 && !type.isSigned()) {
      shifted = position <= top ? value >>> position : 0;
    }
    int width = Math.min(length, 64);
    int cut = 64 - width;
    // The sign is that of the field's last bit, or of the value if the field reaches beyond it.
    long result = type.isSigned() ? shifted << cut >> cut : shifted << cut >>> cut;
    return result & type.mask();
  }

  private static Op insertField(Translation t) {
    ScalarType type = bits(t, 32, 64);
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
        t,
        type,
        type,
        type,
        type,
        (a, b, c) -> permute(b << 32 | (a & LOW_32), selection(mode, (int) c)));
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

  private static Op extendFrom(Translation t) {
    boolean wraps = wraps(t);
    ScalarType type = bits(t, 32, 32);
    return Steps.binary(
        t,
        type,
        type,
        ScalarType.U32,
        (a, b) -> {
          long n = wraps ? b & 31 : Math.min(b & LOW_32, 32);
          return n == 0 ? 0 : field(a, 0, (int) n, type);
        });
  }

  private static Op mask(Translation t) {
    boolean wraps = wraps(t);
    ScalarType type = bits(t, 32, 32);
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
    return t.oneOf("wrap", "clamp")
        .orElseThrow(() -> t.unsupported("it needs .wrap or .clamp"))
        .equals("wrap");
  }
}

package dev.streamfence.internal.ptx.run.arithmetic;

import dev.streamfence.internal.ptx.ir.Computation;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Optional;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Integer operations on register values. Inputs may have any bits above the type's width; results
 * are zero-extended.
 */
public final class IntegerArithmetic {
  private IntegerArithmetic() {}

  /** Returns a value of a type, sign- or zero-extended to 64 bits. */
  public static long extend(long value, ScalarType type) {
    int shift = 64 - Math.min(64, type.bits);
    return type.isSigned() ? value << shift >> shift : value << shift >>> shift;
  }

  private static LongUnaryOperator extender(ScalarType type) {
    int shift = 64 - type.bits;
    if (shift == 0) {
      return v -> v;
    }
    return type.isSigned() ? v -> v << shift >> shift : v -> v << shift >>> shift;
  }

  /** Returns the function of an operation with one operand; empty if it is none on integers. */
  public static Optional<LongUnaryOperator> unary(Computation computation) {
    ScalarType type = computation.type();
    long mask = type.mask();
    int unused = 64 - type.bits;
    return Optional.ofNullable(
        switch (computation.operation()) {
          case NEGATE -> a -> -a & mask;
          case ABSOLUTE -> a -> Math.abs(extend(a, type)) & mask;
          case NOT -> a -> ~a & mask;
          case IS_ZERO -> a -> (a & mask) == 0 ? 1 : 0;
          case REVERSE -> a -> Long.reverse(a) >>> unused;
          case COUNT_ONES -> a -> Long.bitCount(a & mask);
          case COUNT_LEADING_ZEROS -> a -> Long.numberOfLeadingZeros(a & mask) - unused;
          case FIND_HIGHEST -> a -> highest(a, type) & 0xFFFF_FFFFL;
          default -> null;
        });
  }

  /** Returns the function of an operation with two operands; empty if it is none on integers. */
  public static Optional<LongBinaryOperator> binary(Computation computation) {
    ScalarType type = computation.type();
    return Optional.ofNullable(
        switch (computation.operation()) {
          case ADD -> add(type);
          case SUBTRACT -> subtract(type);
          case MULTIPLY -> product(type, computation.result());
          case MULTIPLY_HIGH -> multiplyHigh(type);
          case DIVIDE -> divide(type);
          case REMAINDER -> remainder(type);
          case MIN -> extremum(type, true);
          case MAX -> extremum(type, false);
          case AND -> (a, b) -> a & b;
          case OR -> (a, b) -> a | b;
          case XOR -> (a, b) -> a ^ b;
          case SHIFT_LEFT -> shiftLeft(type);
          case SHIFT_RIGHT -> shiftRight(type);
          default -> null;
        });
  }

  /** Returns the function of an operation with three operands; empty if it is none on integers. */
  public static Optional<LongTernaryOperator> ternary(Computation computation) {
    ScalarType type = computation.type();
    ScalarType result = computation.result();
    return Optional.ofNullable(
        switch (computation.operation()) {
          case ADD_DIFFERENCE -> absoluteDifference(type);
          case FIELD -> (a, b, c) -> field(a, (int) (b & 0xFF), (int) (c & 0xFF), type);
          case MULTIPLY_ADD -> sum(product(type, result), result);
          case MULTIPLY_HIGH_ADD -> sum(multiplyHigh(type), result);
          default -> null;
        });
  }

  private static LongBinaryOperator product(ScalarType type, ScalarType result) {
    return type == result ? multiplyLow(type) : multiplyWide(type);
  }

  private static LongTernaryOperator sum(LongBinaryOperator product, ScalarType type) {
    long mask = type.mask();
    return (a, b, c) -> (product.applyAsLong(a, b) + c) & mask;
  }

  /** Returns the place of the highest bit that differs from the sign; -1 if there is none. */
  public static int highest(long a, ScalarType type) {
    long value = extend(a, type);
    return 63 - Long.numberOfLeadingZeros(type.isSigned() && value < 0 ? ~value : value);
  }

  /** Extracts a field; bits beyond the value's end repeat its sign, or are zero. */
  public static long field(long value, int position, int length, ScalarType type) {
    if (length == 0) {
      return 0;
    }
    int top = type.bits - 1;
    long extended = extend(value, type);
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

  private static LongBinaryOperator shiftLeft(ScalarType type) {
    long mask = type.mask();
    int width = type.bits;
    return (a, b) -> (b & 0xFFFF_FFFFL) >= width ? 0 : (a << (int) b) & mask;
  }

  private static LongBinaryOperator shiftRight(ScalarType type) {
    long mask = type.mask();
    int width = type.bits;
    return type.isSigned()
        ? (a, b) -> (extend(a, type) >> Math.min(b & 0xFFFF_FFFFL, width - 1)) & mask
        : (a, b) -> (b & 0xFFFF_FFFFL) >= width ? 0 : (a & mask) >>> (int) b;
  }

  public static LongBinaryOperator add(ScalarType type) {
    long mask = type.mask();
    return (a, b) -> (a + b) & mask;
  }

  private static LongBinaryOperator subtract(ScalarType type) {
    long mask = type.mask();
    return (a, b) -> (a - b) & mask;
  }

  public static long saturate32(long exact) {
    return Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, exact)) & 0xFFFF_FFFFL;
  }

  public static LongBinaryOperator multiplyLow(ScalarType type) {
    long mask = type.mask();
    return (a, b) -> (a * b) & mask;
  }

  public static LongBinaryOperator multiplyHigh(ScalarType type) {
    if (type == ScalarType.S64) {
      return Math::multiplyHigh;
    }
    if (type.bits == 64) {
      return IntegerArithmetic::unsignedMultiplyHigh;
    }
    LongUnaryOperator x = extender(type);
    int bits = type.bits;
    long mask = type.mask();
    return (a, b) -> ((x.applyAsLong(a) * x.applyAsLong(b)) >> bits) & mask;
  }

  static long unsignedMultiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
  }

  public static LongBinaryOperator multiplyWide(ScalarType type) {
    int shift = 64 - type.bits;
    long mask = type.bits == 32 ? -1L : (1L << (2 * type.bits)) - 1;
    return type.isSigned()
        ? (a, b) -> ((a << shift >> shift) * (b << shift >> shift)) & mask
        : (a, b) -> ((a << shift >>> shift) * (b << shift >>> shift)) & mask;
  }

  /** Multiplies the low 24 bits; the high form gives bits 16 to 47 of the product. */
  public static LongBinaryOperator multiply24(boolean signed, boolean high) {
    int down = high ? 16 : 0;
    return signed
        ? (a, b) -> (((a << 40 >> 40) * (b << 40 >> 40)) >> down) & 0xFFFF_FFFFL
        : (a, b) -> (((a & 0xFF_FFFFL) * (b & 0xFF_FFFFL)) >> down) & 0xFFFF_FFFFL;
  }

  /**
   * Divides; division by zero gives all ones, as on devices, although the language leaves it
   * undefined.
   */
  private static LongBinaryOperator divide(ScalarType type) {
    long mask = type.mask();
    LongUnaryOperator x = extender(type);
    boolean signed = type.isSigned();
    return (a, b) -> {
      long divisor = x.applyAsLong(b);
      if (divisor == 0) {
        return mask;
      }
      long dividend = x.applyAsLong(a);
      return (signed ? dividend / divisor : Long.divideUnsigned(dividend, divisor)) & mask;
    };
  }

  /** Computes the remainder; for division by zero it is the dividend. */
  private static LongBinaryOperator remainder(ScalarType type) {
    long mask = type.mask();
    LongUnaryOperator x = extender(type);
    boolean signed = type.isSigned();
    return (a, b) -> {
      long divisor = x.applyAsLong(b);
      long dividend = x.applyAsLong(a);
      if (divisor == 0) {
        return dividend & mask;
      }
      return (signed ? dividend % divisor : Long.remainderUnsigned(dividend, divisor)) & mask;
    };
  }

  public static LongBinaryOperator extremum(ScalarType type, boolean smaller) {
    long mask = type.mask();
    // Flipping the sign bit turns unsigned order into signed order.
    long flip = type.bits == 64 && !type.isSigned() ? Long.MIN_VALUE : 0;
    LongUnaryOperator x = extender(type);
    return (a, b) -> {
      long p = x.applyAsLong(a);
      long q = x.applyAsLong(b);
      boolean first = (p ^ flip) < (q ^ flip);
      return (first == smaller ? p : q) & mask;
    };
  }

  /** Adds the absolute difference of two values to a third. */
  private static LongTernaryOperator absoluteDifference(ScalarType type) {
    long mask = type.mask();
    LongBinaryOperator larger = extremum(type, false);
    LongBinaryOperator less = extremum(type, true);
    return (a, b, c) -> (c + larger.applyAsLong(a, b) - less.applyAsLong(a, b)) & mask;
  }

  /** Adds products of the bytes of two values to a third. */
  public static LongTernaryOperator dotProduct4(ScalarType a, ScalarType b) {
    ScalarType byteA = a.isSigned() ? ScalarType.S8 : ScalarType.U8;
    ScalarType byteB = b.isSigned() ? ScalarType.S8 : ScalarType.U8;
    return (x, y, c) -> {
      long sum = c;
      for (int i = 0; i < 32; i += 8) {
        sum += extend(x >> i, byteA) * extend(y >> i, byteB);
      }
      return sum & 0xFFFF_FFFFL;
    };
  }

  /** Adds products of the halves of one value and two bytes of another to a third. */
  public static LongTernaryOperator dotProduct2(ScalarType a, ScalarType b, boolean high) {
    ScalarType half = a.isSigned() ? ScalarType.S16 : ScalarType.U16;
    ScalarType part = b.isSigned() ? ScalarType.S8 : ScalarType.U8;
    int from = high ? 16 : 0;
    return (x, y, c) -> {
      long sum = c + extend(x, half) * extend(y >> from, part);
      return (sum + extend(x >> 16, half) * extend(y >> (from + 8), part)) & 0xFFFF_FFFFL;
    };
  }
}

package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;

/** Integer arithmetic as a device carries it out, with its wrap-around. Stateless. */
public final class Machine {
  private Machine() {}

  /** The value that a register of this width holds, as {@link Node} holds it. */
  public static long held(long value, int bits) {
    if (bits == 1) {
      return value & 1;
    }
    return bits >= Long.SIZE ? value : (value << (Long.SIZE - bits)) >> (Long.SIZE - bits);
  }

  /** The same bits as an unsigned number; a 64-bit one stays as it is. */
  public static long unsigned(long value, int bits) {
    return bits >= Long.SIZE ? value : value & (1L << bits) - 1;
  }

  /** Whether an operation divides, which the device leaves undefined for a divisor of 0. */
  public static boolean divides(Operator operation) {
    return switch (operation) {
      case DIVIDE, DIVIDE_UNSIGNED, REMAINDER, REMAINDER_UNSIGNED -> true;
      default -> false;
    };
  }

  /**
   * Carries out an operation with one or two operands.
   *
   * @param bits the width of the result
   * @param from the width of the operands
   */
  public static long apply(Operator operation, int bits, int from, long a, long b) {
    long result =
        switch (operation) {
          case ADD -> a + b;
          case SUBTRACT -> a - b;
          case MULTIPLY -> a * b;
          case NEGATE -> -a;
          case SHIFT_LEFT -> shift(b) >= bits ? 0 : a << shift(b);
          case SHIFT_RIGHT -> a >> Math.min(shift(b), Long.SIZE - 1);
          case SHIFT_RIGHT_UNSIGNED -> shift(b) >= bits ? 0 : unsigned(a, bits) >>> shift(b);
          case DIVIDE -> a / b;
          case DIVIDE_UNSIGNED -> Long.divideUnsigned(unsigned(a, bits), unsigned(b, bits));
          case REMAINDER -> a % b;
          case REMAINDER_UNSIGNED -> Long.remainderUnsigned(unsigned(a, bits), unsigned(b, bits));
          case AND -> a & b;
          case OR -> a | b;
          case XOR -> a ^ b;
          case NOT -> ~a;
          case MIN -> Math.min(a, b);
          case MAX -> Math.max(a, b);
          case MIN_UNSIGNED ->
              Long.compareUnsigned(unsigned(a, bits), unsigned(b, bits)) < 0 ? a : b;
          case MAX_UNSIGNED ->
              Long.compareUnsigned(unsigned(a, bits), unsigned(b, bits)) < 0 ? b : a;
          case SIGN_EXTEND, TRUNCATE -> a;
          case ZERO_EXTEND -> unsigned(a, from);
          case EQUAL -> a == b ? 1 : 0;
          case LESS -> a < b ? 1 : 0;
          case LESS_OR_EQUAL -> a <= b ? 1 : 0;
          case LESS_UNSIGNED -> Long.compareUnsigned(a, b) < 0 ? 1 : 0;
          case LESS_OR_EQUAL_UNSIGNED -> Long.compareUnsigned(a, b) <= 0 ? 1 : 0;
          default -> throw new IllegalArgumentException(operation + " is no operation on numbers");
        };
    return held(result, bits);
  }

  /** PTX clamps the distance of a shift, which is an unsigned 32-bit number. */
  private static long shift(long distance) {
    return unsigned(distance, Integer.SIZE);
  }
}

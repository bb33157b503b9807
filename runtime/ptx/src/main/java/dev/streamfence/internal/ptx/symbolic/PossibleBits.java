package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.List;

/**
 * Which bits of a value may be 1, by what it is computed from: the last ones of a multiple are not,
 * nor the first ones of a small number. Sets of bits are held like values, with the sign extended.
 * Stateless.
 */
final class PossibleBits {
  /** Any bits. */
  static final long ALL = -1;

  private PossibleBits() {}

  /** Those of a number from 0 to the greatest one. */
  static long upTo(long greatest) {
    return greatest < 0 ? ALL : greatest == 0 ? 0 : ALL >>> Long.numberOfLeadingZeros(greatest);
  }

  /** Those of what an operation computes. */
  static long of(Operator operation, int bits, long constant, List<Node> inputs) {
    if (bits == 1) {
      return 1;
    }
    return switch (operation) {
      case CONSTANT -> constant;
      case LENGTH, ITERATION -> Long.MAX_VALUE;
      case ADD -> sum(bits, inputs.get(0).possible, inputs.get(1).possible);
      case SUBTRACT -> multiples(lastZeros(inputs.get(0).possible | inputs.get(1).possible));
      case NEGATE -> multiples(lastZeros(inputs.get(0).possible));
      case MULTIPLY -> product(bits, inputs.get(0).possible, inputs.get(1).possible);
      case AND -> inputs.get(0).possible & inputs.get(1).possible;
      case OR, XOR, MIN, MAX, MIN_UNSIGNED, MAX_UNSIGNED ->
          inputs.get(0).possible | inputs.get(1).possible;
      case SELECT -> inputs.get(1).possible | inputs.get(2).possible;
      case SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED ->
          inputs.get(1).is(Operator.CONSTANT)
              ? Machine.held(
                  Machine.apply(
                      operation, bits, bits, inputs.get(0).possible, inputs.get(1).constant),
                  bits)
              : ALL;
      case DIVIDE, REMAINDER -> divided(operation, inputs.get(0).possible, inputs.get(1));
      case DIVIDE_UNSIGNED, REMAINDER_UNSIGNED ->
          divided(operation, Machine.unsigned(inputs.get(0).possible, bits), inputs.get(1));
      case SIGN_EXTEND, TRUNCATE -> Machine.held(inputs.get(0).possible, bits);
      case ZERO_EXTEND -> Machine.unsigned(inputs.get(0).possible, inputs.get(0).bits);
      default -> ALL;
    };
  }

  /** How many of the last bits are 0 in all values. */
  private static int lastZeros(long possible) {
    return Long.numberOfTrailingZeros(possible);
  }

  /** All multiples of a power of two; of that of 64, only 0. */
  private static long multiples(int exponent) {
    return exponent >= Long.SIZE ? 0 : ALL << exponent;
  }

  private static long sum(int bits, long a, long b) {
    if ((a & b) == 0) {
      return a | b;
    }
    long multiples = multiples(Math.min(lastZeros(a), lastZeros(b)));
    long most = a + b;
    boolean isSmall = a >= 0 && b >= 0 && most >= 0 && most <= most(bits);
    return isSmall ? multiples & upTo(most) : multiples;
  }

  private static long product(int bits, long a, long b) {
    long multiples = multiples(lastZeros(a) + lastZeros(b));
    boolean isSmall =
        a >= 0 && b >= 0 && Math.multiplyHigh(a, b) == 0 && a * b >= 0 && a * b <= most(bits);
    return isSmall ? multiples & upTo(a * b) : multiples;
  }

  private static long most(int bits) {
    return -1L >>> (Long.SIZE - bits + 1);
  }

  /** Those of a quotient or a remainder of numbers that are not negative. */
  private static long divided(Operator operation, long dividend, Node divisor) {
    if (dividend < 0 || !divisor.is(Operator.CONSTANT) || divisor.constant <= 0) {
      return ALL;
    }
    boolean isQuotient = operation == Operator.DIVIDE || operation == Operator.DIVIDE_UNSIGNED;
    long most = isQuotient ? dividend / divisor.constant : Math.min(dividend, divisor.constant - 1);
    // A number without a sign that is divided by 1 is the same one, which may be held negative.
    return most > most(divisor.bits) ? ALL : upTo(most);
  }
}

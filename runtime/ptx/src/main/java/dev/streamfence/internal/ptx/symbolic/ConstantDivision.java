package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import org.jspecify.annotations.Nullable;

/**
 * Divisions of numbers of 16 or 32 bits by a constant, which compilers carry out as a
 * multiplication and a shift: {@code x / d} is {@code x * m >> k}, and 1 more if {@code x} is
 * negative, where {@code m} is {@code 2^k / d}, rounded up. Stateless.
 *
 * <p>The method, and for which numbers it is exact: Granlund and Montgomery, "Division by Invariant
 * Integers using Multiplication", 1994.
 */
final class ConstantDivision {
  private static final int MAX_SHIFT = Long.SIZE - 2;

  /**
   * The first bits of a product with a constant, which has twice as many bits as the number.
   *
   * @param wide the number, extended
   * @param shift how many of the last bits of the product are left out, at least the first half
   */
  private record Scaled(Node wide, long factor, int shift) {
    Node number() {
      return wide.input(0);
    }

    int bits() {
      return number().bits;
    }

    boolean isSigned() {
      return wide.is(Operator.SIGN_EXTEND);
    }

    /** Whether it is the first half of the product. */
    boolean isHalf() {
      return shift == bits();
    }
  }

  private ConstantDivision() {}

  /**
   * What an operation on two operands of the result's width is, if it is the last one of a division
   * by a constant, or the next one on the way to such; null for others.
   */
  static @Nullable Node folded(NodeGraph nodes, Operator operation, int bits, Node a, Node b) {
    return switch (operation) {
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED ->
          b.is(Operator.CONSTANT) && b.constant >= 0 && b.constant < bits
              ? shifted(nodes, operation, a, (int) b.constant)
              : null;
      case ADD -> {
        Node sum = sum(nodes, bits, a, b);
        yield sum == null ? sum(nodes, bits, b, a) : sum;
      }
      case SUBTRACT -> remainder(nodes, bits, a, b, 1);
      default -> null;
    };
  }

  private static @Nullable Node shifted(NodeGraph nodes, Operator shift, Node value, int by) {
    Scaled product = scaled(shift, value, by);
    if (product != null) {
      boolean isNatural = !product.isSigned() || product.number().hasNoSign();
      long divisor = isNatural ? divisor(product, greatest(product.number()), true) : 0;
      return divisor == 0
          ? null
          : nodes.of(product.wide().operation, value.bits, divided(nodes, product, divisor));
    }
    Scaled half = part(value);
    if (half != null && half.isSigned() == (shift == Operator.SHIFT_RIGHT)) {
      return part(nodes, half, half.shift() + by);
    }
    return shift == Operator.SHIFT_RIGHT_UNSIGNED ? halved(nodes, value, by) : null;
  }

  private static long greatest(Node number) {
    return Machine.unsigned(number.possible, number.bits);
  }

  private static Node divided(NodeGraph nodes, Scaled scaled, long divisor) {
    Operator division = scaled.isSigned() ? Operator.DIVIDE : Operator.DIVIDE_UNSIGNED;
    Node by = nodes.constant(divisor, scaled.bits());
    return nodes.of(division, scaled.bits(), scaled.number(), by);
  }

  /** The first bits of a product, with more of the last bits left out. */
  private static @Nullable Node part(NodeGraph nodes, Scaled scaled, int shift) {
    if (shift > MAX_SHIFT || shift >= 2 * scaled.bits()) {
      return null;
    }
    int bits = scaled.wide().bits;
    Operator right = scaled.isSigned() ? Operator.SHIFT_RIGHT : Operator.SHIFT_RIGHT_UNSIGNED;
    Node factor = nodes.constant(scaled.factor(), bits);
    Node product = nodes.of(Operator.MULTIPLY, bits, scaled.wide(), factor);
    Node distance = nodes.constant(shift, Integer.SIZE);
    return nodes.of(Operator.TRUNCATE, scaled.bits(), nodes.of(right, bits, product, distance));
  }

  /**
   * The quotient by a factor of one bit more than a number has: {@code ((x - h) / 2 + h) >> k},
   * where {@code h} is the first half of the product with the other bits, is {@code (x + h) / 2 >>
   * k}, without the carry.
   */
  private static @Nullable Node halved(NodeGraph nodes, Node mean, int by) {
    for (int i = 0; mean.is(Operator.ADD) && i < 2; i++) {
      Scaled half = part(mean.input(i));
      Node other = mean.input(1 - i);
      if (half != null
          && !half.isSigned()
          && half.isHalf()
          && other.is(Operator.SHIFT_RIGHT_UNSIGNED)
          && other.input(1).isConstant(1)
          && other.input(0).is(Operator.SUBTRACT)
          && other.input(0).input(0) == half.number()
          && other.input(0).input(1) == mean.input(i)) {
        long factor = half.factor() + (1L << half.bits());
        Scaled whole = new Scaled(half.wide(), factor, half.bits() + 1 + by);
        long divisor = divisor(whole, greatest(half.number()), true);
        return divisor == 0 ? null : divided(nodes, whole, divisor);
      }
    }
    return null;
  }

  private static @Nullable Node sum(NodeGraph nodes, int bits, Node a, Node b) {
    Scaled scaled = part(a);
    if (scaled == null || !scaled.isSigned()) {
      return remainder(nodes, bits, a, b, -1);
    }
    if (b == scaled.number() && scaled.factor() < 0 && scaled.isHalf()) {
      // The factor has one bit more, whose multiple is added by hand.
      long whole = scaled.factor() + (1L << scaled.bits());
      return part(nodes, new Scaled(scaled.wide(), whole, scaled.shift()), scaled.shift());
    }
    boolean isSign =
        b.is(Operator.SHIFT_RIGHT_UNSIGNED)
            && b.input(1).isConstant(scaled.bits() - 1L)
            && hasSignOf(b.input(0), scaled);
    long divisor = isSign ? divisor(scaled, 1L << (scaled.bits() - 1), false) : 0;
    return divisor == 0 ? null : divided(nodes, scaled, divisor);
  }

  /** Whether a value is negative if, and only if, the dividend is. */
  private static boolean hasSignOf(Node value, Scaled scaled) {
    if (scaled.factor() <= 0) {
      return false;
    }
    Scaled same = part(value);
    return value == scaled.number()
        || (same != null
            && same.wide() == scaled.wide()
            && same.factor() == scaled.factor()
            && same.shift() <= scaled.shift());
  }

  /**
   * A difference between a number and the multiple that its quotient leads to.
   *
   * @param sign 1 if the multiple is subtracted, -1 if its opposite is added
   */
  private static @Nullable Node remainder(
      NodeGraph nodes, int bits, Node number, Node multiple, long sign) {
    if (!multiple.is(Operator.MULTIPLY)) {
      return null;
    }
    Node division = multiple.input(0);
    Operator rest =
        division.is(Operator.DIVIDE)
            ? Operator.REMAINDER
            : division.is(Operator.DIVIDE_UNSIGNED) ? Operator.REMAINDER_UNSIGNED : null;
    return rest != null
            && division.input(0) == number
            && division.input(1).is(Operator.CONSTANT)
            && multiple.input(1).isConstant(sign * division.input(1).constant)
        ? nodes.of(rest, bits, number, division.input(1))
        : null;
  }

  /** A value as the first bits of a product, with at most as many as the number has. */
  private static @Nullable Scaled part(Node value) {
    Node shift = value.is(Operator.TRUNCATE) ? value.input(0) : value;
    boolean isShift = shift.is(Operator.SHIFT_RIGHT) || shift.is(Operator.SHIFT_RIGHT_UNSIGNED);
    return isShift && 2 * value.bits == shift.bits && shift.input(1).is(Operator.CONSTANT)
        ? scaled(shift.operation, shift.input(0), shift.input(1).constant)
        : null;
  }

  private static @Nullable Scaled scaled(Operator shift, Node product, long distance) {
    if (!product.is(Operator.MULTIPLY) || !product.input(1).is(Operator.CONSTANT)) {
      return null;
    }
    Node wide = product.input(0);
    Operator extension =
        shift == Operator.SHIFT_RIGHT ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND;
    long factor = product.input(1).constant;
    int bits = product.bits / 2;
    boolean fits =
        factor >> bits == 0 || (extension == Operator.SIGN_EXTEND && factor >> (bits - 1) == -1);
    boolean isProduct = wide.is(extension) && wide.input(0).bits == bits && fits;
    return isProduct && bits >= Short.SIZE && distance >= bits && distance <= MAX_SHIFT
        ? new Scaled(wide, factor, (int) distance)
        : null;
  }

  /**
   * The number by which a scaled one is divided; 0 if it is none for all dividends.
   *
   * @param most the greatest dividend, and the least one without its sign
   * @param isNatural whether no dividend is negative
   */
  private static long divisor(Scaled scaled, long most, boolean isNatural) {
    long factor = scaled.factor();
    if (factor <= 1 || scaled.shift() > MAX_SHIFT) {
      return 0;
    }
    long power = 1L << scaled.shift();
    long divisor = (power - 1) / factor + 1;
    long excess = divisor * factor - power;
    // What the product is too large by must not reach the next quotient; the exact quotient of a
    // negative number must not be reached either, since it is rounded down.
    boolean isExact =
        isNatural
            ? excess <= (power - 1) / Math.max(1, most)
            : excess > 0 && excess <= power / most;
    return isExact && divisor > 1 && divisor < 1L << (scaled.bits() - 1) ? divisor : 0;
  }
}

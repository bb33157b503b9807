package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import org.jspecify.annotations.Nullable;

/** Bitwise operations that are another one, or none: sums, remainders, multiples. Stateless. */
final class BitOperations {
  private BitOperations() {}

  /** What a bitwise operation on two values of its width is; null if it is only itself. */
  static @Nullable Node folded(NodeGraph nodes, Operator operation, int bits, Node a, Node b) {
    if (bits == 1) {
      return null;
    }
    boolean isMask = operation == Operator.AND;
    long common = a.possible & b.possible;
    if (common == 0) {
      // Without carries, the others are sums.
      return isMask ? nodes.constant(0, bits) : nodes.of(Operator.ADD, bits, a, b);
    }
    if (isMask && b.is(Operator.CONSTANT) && common == a.possible) {
      return a;
    }
    if (operation == Operator.OR || !b.is(Operator.CONSTANT) || b.constant < 0) {
      return null;
    }
    long mask = b.constant;
    if (isShifted(a, Operator.SHIFT_LEFT) && (isMask || isMultiple(mask, a.input(1).constant))) {
      return ofMultiple(nodes, operation, bits, a, mask);
    }
    Node narrow = a.unextended();
    // Of numbers with fewer bits, analyses assume less.
    boolean isWithin =
        a.is(Operator.ZERO_EXTEND) && narrow.bits >= Integer.SIZE && mask < 1L << narrow.bits;
    if (isMask && isWithin) {
      Node some = nodes.of(operation, narrow.bits, narrow, nodes.constant(mask, narrow.bits));
      return nodes.of(Operator.ZERO_EXTEND, bits, some);
    }
    return isMask && isShifted(a, Operator.SHIFT_RIGHT_UNSIGNED) && clearsLastBits(a, mask)
        ? withoutLastBits(nodes, bits, a, Long.numberOfTrailingZeros(mask))
        : null;
  }

  private static boolean isShifted(Node node, Operator direction) {
    return node.is(direction)
        && node.input(1).is(Operator.CONSTANT)
        && node.input(1).constant >= 0
        && node.input(1).constant < node.bits;
  }

  private static boolean isMultiple(long number, long exponent) {
    return number >> exponent << exponent == number;
  }

  /**
   * Some bits of a multiple, as the same multiple of bits of the number: {@code x << 2 & 60} is
   * {@code (x & 15) << 2}, a remainder, and {@code x << 2 ^ 4} is {@code (x ^ 1) << 2}.
   */
  private static Node ofMultiple(
      NodeGraph nodes, Operator operation, int bits, Node multiple, long mask) {
    Node distance = multiple.input(1);
    Node other = nodes.constant(mask >> distance.constant, bits);
    Node rest = nodes.of(operation, bits, multiple.input(0), other);
    return nodes.of(Operator.SHIFT_LEFT, bits, rest, distance);
  }

  /** Whether a mask clears some of the last bits of a quotient, and no others. */
  private static boolean clearsLastBits(Node quotient, long mask) {
    long all = -1L >>> (Long.SIZE - quotient.bits + (int) quotient.input(1).constant);
    return mask != 0 && (mask & 1) == 0 && (mask | (mask - 1)) == all;
  }

  /** A multiple of another quotient: {@code x >>> 3 & 0x1ffffffc} is {@code x >>> 5 << 2}. */
  private static Node withoutLastBits(NodeGraph nodes, int bits, Node quotient, int count) {
    Node distance = quotient.input(1);
    Node all = nodes.constant(distance.constant + count, distance.bits);
    Node rest = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, bits, quotient.input(0), all);
    return nodes.of(Operator.SHIFT_LEFT, bits, rest, nodes.constant(count, distance.bits));
  }
}

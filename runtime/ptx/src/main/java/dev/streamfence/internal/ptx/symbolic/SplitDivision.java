package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import org.jspecify.annotations.Nullable;

/**
 * A division of 64-bit numbers, which compilers carry out in 32 bits if the upper halves of both
 * are 0: the two ways have one value. Stateless.
 */
final class SplitDivision {
  private SplitDivision() {}

  /**
   * The quotient or the remainder of 64 bits that a choice between two values is; null for others.
   *
   * @param gate the predicate by which the choice is the first one
   */
  static @Nullable Node joined(NodeGraph nodes, Node gate, Node first, Node second) {
    boolean swapped = gate.is(Operator.NOT);
    Node fits = swapped ? gate.input(0) : gate;
    Node whole = swapped ? first : second;
    Node half = swapped ? second : first;
    // A remainder may also be the dividend less a multiple of the divisor.
    boolean isRest = whole.is(Operator.SUBTRACT) && whole.input(1).is(Operator.MULTIPLY);
    Node division = isRest ? whole.input(1).input(0) : whole;
    Operator unsigned =
        switch (division.operation) {
          case DIVIDE, DIVIDE_UNSIGNED -> Operator.DIVIDE_UNSIGNED;
          case REMAINDER, REMAINDER_UNSIGNED -> Operator.REMAINDER_UNSIGNED;
          default -> null;
        };
    if (unsigned == null || whole.bits != Long.SIZE || !half.is(Operator.ZERO_EXTEND)) {
      return null;
    }
    Node dividend = division.input(0);
    Node divisor = division.input(1);
    Node left = lower(nodes, dividend);
    Node right = lower(nodes, divisor);
    Node result = nodes.of(unsigned, Integer.SIZE, left, right);
    if (isRest) {
      if (whole.input(0) != dividend || whole.input(1).input(1) != divisor) {
        return null;
      }
      Node product = nodes.of(Operator.MULTIPLY, Integer.SIZE, result, right);
      result = nodes.of(Operator.SUBTRACT, Integer.SIZE, left, product);
    }
    return half.input(0) == result && haveHalf(fits, dividend, divisor) ? whole : null;
  }

  private static Node lower(NodeGraph nodes, Node value) {
    return nodes.of(Operator.TRUNCATE, Integer.SIZE, value);
  }

  /** Whether a predicate says that the upper 32 bits of two values are 0. */
  private static boolean haveHalf(Node predicate, Node first, Node second) {
    if (!predicate.is(Operator.EQUAL) || !predicate.input(1).isConstant(0)) {
      return false;
    }
    Node upper = predicate.input(0);
    if (!upper.is(Operator.AND) || !upper.input(1).isConstant(-1L << Integer.SIZE)) {
      return false;
    }
    Node all = upper.input(0);
    return all.is(Operator.OR)
        ? (all.input(0) == first && all.input(1) == second)
            || (all.input(0) == second && all.input(1) == first)
        : (all == first && isHalf(second)) || (all == second && isHalf(first));
  }

  private static boolean isHalf(Node value) {
    return value.is(Operator.ZERO_EXTEND) && value.input(0).bits <= Integer.SIZE;
  }
}

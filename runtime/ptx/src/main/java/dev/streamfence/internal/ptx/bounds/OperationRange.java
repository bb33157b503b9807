package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Machine;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;

/** The intervals of operations that are not sums of products. Stateless. */
final class OperationRange {
  private OperationRange() {}

  /** Whether an operation reads its operands without a sign. */
  static boolean isUnsigned(Operator operation) {
    return switch (operation) {
      case SHIFT_RIGHT_UNSIGNED,
          DIVIDE_UNSIGNED,
          REMAINDER_UNSIGNED,
          MIN_UNSIGNED,
          MAX_UNSIGNED,
          ZERO_EXTEND ->
          true;
      default -> false;
    };
  }

  static long least(int bits, boolean unsigned) {
    return unsigned ? 0 : bits >= Long.SIZE ? Interval.LEAST : -(1L << (bits - 1));
  }

  static long most(int bits, boolean unsigned) {
    if (bits >= Long.SIZE) {
      return Interval.MOST;
    }
    return unsigned ? (1L << bits) - 1 : (1L << (bits - 1)) - 1;
  }

  static void set(RangeProgram.Apply step, RangeProgram.Results results, int self) {
    boolean unsigned = isUnsigned(step.operation());
    int bits = step.bits();
    boolean leftKnown = RangeProgram.holdAll(results, step.leftChecks());
    boolean rightKnown = RangeProgram.holdAll(results, step.rightChecks());
    long a = leftKnown ? results.low[step.left()] : least(bits, unsigned);
    long b = leftKnown ? results.high[step.left()] : most(bits, unsigned);
    long c = rightKnown ? results.low[step.right()] : least(bits, unsigned);
    long d = rightKnown ? results.high[step.right()] : most(bits, unsigned);
    long least = least(bits, unsigned);
    long most = most(bits, unsigned);
    if (a > b || c > d) {
      results.setEmpty(self);
      return;
    }
    if (a == b && c == d && leftKnown && rightKnown && Interval.isBound(a) && Interval.isBound(c)) {
      exact(step, results, self, a, c);
      return;
    }
    switch (step.operation()) {
      case AND -> {
        if (a >= 0 || c >= 0) {
          least = 0;
          most = a >= 0 && c >= 0 ? Math.min(b, d) : a >= 0 ? b : d;
        }
      }
      case OR, XOR -> {
        if (a >= 0 && c >= 0 && Interval.isBound(b) && Interval.isBound(d)) {
          // No bit above the highest one of either operand.
          least = 0;
          most = Math.min(most, ones(b | d));
        }
      }
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> {
        if (c >= 0 && d < Long.SIZE && Interval.isBound(a) && Interval.isBound(b)) {
          least = Math.min(a >> c, a >> d);
          most = Math.max(b >> c, b >> d);
        }
      }
      case SHIFT_LEFT -> {
        boolean fits = a >= 0 && c >= 0 && d < Long.SIZE - 2 && b <= most >> d;
        least = fits ? a << c : least;
        most = fits ? b << d : most;
      }
      case DIVIDE, DIVIDE_UNSIGNED -> {
        if (c > 0 && Interval.isBound(a) && Interval.isBound(b)) {
          least = Math.min(a / c, a / d);
          most = Math.max(b / c, b / d);
        }
      }
      case REMAINDER_UNSIGNED -> {
        most = c > 0 && a >= 0 ? Math.min(b, d - 1) : c > 0 ? d - 1 : most;
      }
      case REMAINDER -> {
        if (c > 0) {
          least = a >= 0 ? 0 : Math.max(a, 1 - d);
          most = b <= 0 ? 0 : Math.min(b, d - 1);
        }
      }
      case MIN, MIN_UNSIGNED -> {
        least = Math.min(a, c);
        most = Math.min(b, d);
      }
      case MAX, MAX_UNSIGNED -> {
        least = Math.max(a, c);
        most = Math.max(b, d);
      }
      default -> {
        // Any value of its width.
      }
    }
    results.set(self, least, most);
  }

  private static void exact(
      RangeProgram.Apply step, RangeProgram.Results results, int self, long a, long b) {
    int bits = step.bits();
    boolean unsigned = isUnsigned(step.operation());
    if (b == 0 && Machine.divides(step.operation())) {
      results.set(self, least(bits, unsigned), most(bits, unsigned));
      return;
    }
    long value =
        Machine.apply(step.operation(), bits, bits, Machine.held(a, bits), Machine.held(b, bits));
    long read = unsigned ? Machine.unsigned(value, bits) : value;
    if (unsigned && read < 0) {
      results.set(self, 0, Interval.MOST);
    } else {
      results.set(self, read, read);
    }
  }

  private static long ones(long value) {
    return value == 0 ? 0 : -1L >>> Long.numberOfLeadingZeros(value);
  }
}

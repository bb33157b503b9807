package dev.streamfence.examples.e09_kernels_at_run_time;

/**
 * A condition on an {@code int}. Since a program builds conditions of these parts only, what a user
 * types never becomes code.
 */
public sealed interface Condition {
  /** Whether a value is at least {@code least}. */
  record AtLeast(int least) implements Condition {}

  /** Whether a value is a multiple of {@code divisor}, which is not 0. */
  record MultipleOf(int divisor) implements Condition {
    /** Refuses 0. */
    public MultipleOf {
      if (divisor == 0) {
        throw new IllegalArgumentException("no number is a multiple of 0");
      }
    }
  }

  /** Whether both conditions hold. */
  record And(Condition left, Condition right) implements Condition {}

  /** Whether a condition does not hold. */
  record Not(Condition condition) implements Condition {}

  /** The condition as an expression of CUDA, of the value {@code x}. */
  default String toCuda() {
    if (this instanceof AtLeast limit) {
      return "x >= " + literal(limit.least);
    } else if (this instanceof MultipleOf multiple) {
      return "x % " + literal(multiple.divisor) + " == 0";
    } else if (this instanceof And both) {
      return "(" + both.left.toCuda() + ") && (" + both.right.toCuda() + ")";
    } else {
      return "!(" + ((Not) this).condition.toCuda() + ")";
    }
  }

  /** A number as CUDA writes it: the least {@code int} has no literal of its own. */
  private static String literal(int number) {
    return number == Integer.MIN_VALUE ? "(-2147483647 - 1)" : "(" + number + ")";
  }
}

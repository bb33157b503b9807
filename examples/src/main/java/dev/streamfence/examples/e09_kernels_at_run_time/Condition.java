package dev.streamfence.examples.e09_kernels_at_run_time;

/**
 * A condition on an {@code int}. Since a program builds conditions of these parts only, what a user
 * types never becomes code.
 */
public sealed interface Condition {
  /** The condition as an expression of CUDA, of the value {@code x}. */
  String toCuda();

  /** Whether a value is at least {@code least}. */
  record AtLeast(int least) implements Condition {
    @Override
    public String toCuda() {
      return "x >= " + literal(least);
    }
  }

  /** Whether a value is a multiple of {@code divisor}, which is not 0. */
  record MultipleOf(int divisor) implements Condition {
    /** Refuses 0. */
    public MultipleOf {
      if (divisor == 0) {
        throw new IllegalArgumentException("no number is a multiple of 0");
      }
    }

    @Override
    public String toCuda() {
      return "x % " + literal(divisor) + " == 0";
    }
  }

  /** Whether both conditions hold. */
  record And(Condition left, Condition right) implements Condition {
    @Override
    public String toCuda() {
      return "(" + left.toCuda() + ") && (" + right.toCuda() + ")";
    }
  }

  /** Whether a condition does not hold. */
  record Not(Condition condition) implements Condition {
    @Override
    public String toCuda() {
      return "!(" + condition.toCuda() + ")";
    }
  }

  /** A number as CUDA writes it: the least {@code int} has no literal of its own. */
  private static String literal(int number) {
    return number == Integer.MIN_VALUE ? "(-2147483647 - 1)" : "(" + number + ")";
  }
}

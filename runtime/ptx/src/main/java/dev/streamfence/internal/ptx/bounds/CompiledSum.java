package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.Arrays;

/** A polynomial as arrays, to be evaluated without allocating. Immutable. */
final class CompiledSum {
  private final long[] coefficients;
  private final int[][] factors;

  CompiledSum(Polynomial polynomial) {
    coefficients = new long[polynomial.size()];
    factors = new int[coefficients.length][];
    int at = 0;
    for (Term term : polynomial.terms()) {
      coefficients[at] = term.coefficient();
      factors[at++] = term.product().nodes();
    }
  }

  CompiledSum(long[] coefficients, int[][] factors) {
    this.coefficients = coefficients;
    this.factors = factors;
  }

  int terms() {
    return coefficients.length;
  }

  long coefficient(int term) {
    return coefficients[term];
  }

  /** The ids of a term's factors; not to be changed. */
  int[] factors(int term) {
    return factors[term];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CompiledSum sum
        && Arrays.equals(coefficients, sum.coefficients)
        && Arrays.deepEquals(factors, sum.factors);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(coefficients) + Arrays.deepHashCode(factors);
  }
}

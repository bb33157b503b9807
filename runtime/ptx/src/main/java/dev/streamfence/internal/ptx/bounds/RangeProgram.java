package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps that compute intervals from the numbers of a launch; each uses the results of earlier ones.
 * Filled once, then immutable; {@link Results} holds what one evaluation computes.
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Steps are never compared, and their arrays never change.
final class RangeProgram {
  /** What the steps of a kernel's bounds take at most: a long list is a formula that explodes. */
  private static final int MAX_STEPS = 20_000;

  /** The intervals of one evaluation. Confined to one thread. */
  static final class Results {
    final long[] low;
    final long[] high;

    Results(RangeProgram program) {
      low = new long[program.steps.size()];
      high = new long[program.steps.size()];
    }

    boolean isEmpty(int step) {
      return low[step] > high[step];
    }

    boolean isOne(int step) {
      return low[step] == high[step];
    }

    void setEmpty(int step) {
      low[step] = Interval.MOST;
      high[step] = Interval.LEAST;
    }

    void set(int step, long least, long most) {
      low[step] = least;
      high[step] = most;
    }
  }

  /** One computation of an interval. */
  sealed interface RangeStep {
    void run(LaunchNumbers launch, Results results, int self);

    /** Whether the launch or the code limits the interval from below, for every launch. */
    default boolean hasLow() {
      return true;
    }

    /** Whether the launch or the code limits the interval from above, for every launch. */
    default boolean hasHigh() {
      return true;
    }
  }

  /** A fixed interval. */
  record Fixed(long least, long most, boolean hasLow, boolean hasHigh) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      results.set(self, least, most);
    }
  }

  /** A number that the launch passes. */
  record Argument(int index) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long value = launch.argument(index);
      results.set(self, value, value);
    }
  }

  /** A predefined register. */
  record Geometry(Node.Special special) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      int count =
          special.isBlock || special.countsBlocks
              ? launch.grid(special.dimension)
              : launch.block(special.dimension);
      results.set(self, special.differs() ? 0 : count, special.differs() ? count - 1L : count);
    }
  }

  /**
   * A sum of products.
   *
   * @param coefficients one per product
   * @param factors the steps of each product's factors
   */
  record Sum(long[] coefficients, int[][] factors, boolean hasLow, boolean hasHigh)
      implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long least = 0;
      long most = 0;
      for (int i = 0; i < coefficients.length; i++) {
        long low = coefficients[i];
        long high = low;
        for (int factor : factors[i]) {
          long a = Interval.multiply(low, results.low[factor]);
          long b = Interval.multiply(low, results.high[factor]);
          long c = Interval.multiply(high, results.low[factor]);
          long d = Interval.multiply(high, results.high[factor]);
          low = Math.min(Math.min(a, b), Math.min(c, d));
          high = Math.max(Math.max(a, b), Math.max(c, d));
        }
        least = Interval.addLow(least, low);
        most = Interval.addHigh(most, high);
      }
      results.set(self, least, most);
    }
  }

  /** All values of several steps. */
  record Hull(int[] parts, boolean hasLow, boolean hasHigh) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long least = Interval.MOST;
      long most = Interval.LEAST;
      for (int part : parts) {
        if (!results.isEmpty(part)) {
          least = Math.min(least, results.low[part]);
          most = Math.max(most, results.high[part]);
        }
      }
      results.set(self, least, most);
    }
  }

  /** The values that two steps for the same number have in common. */
  record Both(int first, int second, boolean hasLow, boolean hasHigh) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      results.set(
          self,
          Math.max(results.low[first], results.low[second]),
          Math.min(results.high[first], results.high[second]));
    }
  }

  /**
   * An operation on two values.
   *
   * @param leftChecks for each operand, the steps that say whether its interval is that of its bits
   */
  record Apply(
      Operator operation,
      int bits,
      int left,
      int right,
      int[] leftChecks,
      int[] rightChecks,
      boolean hasLow,
      boolean hasHigh)
      implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      OperationRange.set(this, results, self);
    }
  }

  /** The values of a step if its checks hold, otherwise all values of a width. */
  record Checked(int step, long least, long most, int[] checks, boolean hasLow, boolean hasHigh)
      implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      boolean holds = holdAll(results, checks);
      results.set(self, holds ? results.low[step] : least, holds ? results.high[step] : most);
    }
  }

  /** 1 if a step's values lie between two numbers, otherwise 0. */
  record Within(int step, long least, long most) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      boolean holds =
          results.isEmpty(step)
              || (Interval.isBound(results.low[step])
                  && Interval.isBound(results.high[step])
                  && results.low[step] >= least
                  && results.high[step] <= most);
      results.set(self, holds ? 1 : 0, holds ? 1 : 0);
    }
  }

  /**
   * The values of a difference that a guard leaves.
   *
   * @param difference its interval without the guard
   * @param least the steps whose lowest value the guard leaves; none for 0
   * @param nonZero whether the guard excludes 0 only
   * @param checks the steps that say whether the guard compares what it seems to compare
   */
  record Narrowed(int difference, int[] least, boolean nonZero, int[] checks, boolean hasHigh)
      implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long low = results.low[difference];
      long high = results.high[difference];
      if (holdAll(results, checks)) {
        if (nonZero) {
          low += low == 0 ? 1 : 0;
          high -= high == 0 ? 1 : 0;
        } else {
          long kept = least.length == 0 ? 0 : Interval.MOST;
          for (int step : least) {
            kept = Math.min(kept, results.low[step]);
          }
          low = Math.max(low, kept);
        }
      }
      results.set(self, low, high);
    }
  }

  /**
   * The values of a difference in a loop that goes on until it is 0, and meets 0 exactly.
   *
   * @param difference its interval without the loop's end
   * @param first the difference in the first iteration
   * @param step by how much it falls in each iteration, at least 1
   * @param divides whether the first difference is certainly a multiple of that
   */
  record Counted(
      int difference, int first, long step, boolean divides, int[] checks, boolean hasHigh)
      implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long low = results.low[difference];
      boolean exact =
          divides || step == 1 || (results.isOne(first) && results.low[first] % step == 0);
      if (exact && results.low[first] >= 0 && holdAll(results, checks)) {
        low = Math.max(low, 0);
      }
      results.set(self, low, results.high[difference]);
    }
  }

  static boolean holdAll(Results results, int[] checks) {
    for (int check : checks) {
      if (results.low[check] == 0) {
        return false;
      }
    }
    return true;
  }

  private final List<RangeStep> steps = new ArrayList<>();

  int add(RangeStep step) {
    if (steps.size() >= MAX_STEPS) {
      throw new TooComplexException("its addresses are too long a formula");
    }
    steps.add(step);
    return steps.size() - 1;
  }

  RangeStep step(int index) {
    return steps.get(index);
  }

  /** Carries out all steps; allocates nothing. */
  void run(LaunchNumbers launch, Results results) {
    for (int i = 0; i < steps.size(); i++) {
      steps.get(i).run(launch, results, i);
    }
  }
}

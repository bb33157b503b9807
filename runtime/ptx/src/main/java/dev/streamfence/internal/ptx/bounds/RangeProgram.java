// Long because each kind of step is a record with its own documentation.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.ArrayList;
import java.util.Arrays;
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
    long[] low;
    long[] high;

    /** How many steps were carried out. */
    private int done;

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

  /** The number of elements of an array that the launch passes. */
  record Length(int array) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long length = launch.length(array);
      results.set(self, length, length);
    }
  }

  /**
   * The numbers from one on to the least of several ends.
   *
   * @param least the least of the numbers
   * @param ends the steps of the ends
   * @param most the greatest number in any launch
   */
  record UpTo(long least, int[] ends, long most) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long high = most;
      for (int end : ends) {
        high = Math.min(high, results.high[end]);
      }
      if (high < least) {
        results.setEmpty(self);
      } else {
        results.set(self, least, high);
      }
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

  /**
   * Where one of several values may be that move towards each other, from where they are at first.
   *
   * @param own the steps of what it is at first
   * @param all those of all of them
   * @param direction whether an iteration adds 1 to it or subtracts 1; 0 if it falls otherwise
   */
  record Ends(int[] own, int[] all, int direction) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      int[] below = direction > 0 ? own : all;
      int[] above = direction > 0 ? all : own;
      long least = direction > 0 ? Interval.MOST : 0;
      long most = Interval.LEAST;
      for (int part : below) {
        least = Math.min(least, results.low[part]);
      }
      for (int part : above) {
        most = Math.max(most, results.high[part]);
      }
      results.set(
          self,
          Interval.addLow(least, Math.min(direction, 0)),
          Interval.addHigh(most, Math.max(direction, 0)));
    }
  }

  /** 1 if the values of each step lie in those of another one, otherwise 0. */
  record Inside(int[] steps, int[] ranges) implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      boolean holds = true;
      for (int i = 0; i < steps.length; i++) {
        holds &=
            results.isEmpty(steps[i])
                || (results.low[steps[i]] >= results.low[ranges[i]]
                    && results.high[steps[i]] <= results.high[ranges[i]]);
      }
      results.set(self, holds ? 1 : 0, holds ? 1 : 0);
    }
  }

  /**
   * The values of a sum of which a multiple is known up to a rest.
   *
   * @param multiple the multiple without the rest
   * @param unit a number of which the sum is a multiple
   * @param checks the steps that say whether it is a multiple; otherwise the sum has any value
   */
  record Quotient(
      int multiple,
      long divisor,
      long leastRest,
      long mostRest,
      long unit,
      int[] checks,
      boolean hasLow,
      boolean hasHigh)
      implements RangeStep {
    @Override
    public void run(LaunchNumbers launch, Results results, int self) {
      long low = Interval.addLow(results.low[multiple], leastRest);
      long high = Interval.addHigh(results.high[multiple], mostRest);
      boolean holds = holdAll(results, checks);
      long by = divisor * unit;
      results.set(
          self,
          holds && Interval.isBound(low) ? -Math.floorDiv(-low, by) * unit : Interval.LEAST,
          holds && Interval.isBound(high) ? Math.floorDiv(high, by) * unit : Interval.MOST);
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
  private int limit = MAX_STEPS;

  /** Limits how many steps it may have, and returns the limit before. */
  int limit(int most) {
    int before = limit;
    limit = Math.min(most, MAX_STEPS);
    return before;
  }

  int add(RangeStep step) {
    if (steps.size() >= limit) {
      throw new TooComplexException("its addresses are too long a formula");
    }
    steps.add(step);
    return steps.size() - 1;
  }

  int size() {
    return steps.size();
  }

  RangeStep step(int index) {
    return steps.get(index);
  }

  /** Carries out all steps; allocates nothing. */
  void run(LaunchNumbers launch, Results results) {
    results.done = 0;
    finish(launch, results);
  }

  /** Carries out the steps that were added since the last time, for the same launch. */
  void goOn(LaunchNumbers launch, Results results) {
    if (results.low.length < steps.size()) {
      results.low = Arrays.copyOf(results.low, 2 * steps.size());
      results.high = Arrays.copyOf(results.high, 2 * steps.size());
    }
    finish(launch, results);
  }

  private void finish(LaunchNumbers launch, Results results) {
    for (int i = results.done; i < steps.size(); i++) {
      steps.get(i).run(launch, results, i);
    }
    results.done = steps.size();
  }
}

package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.Machine;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The intervals of operations on numbers of 8 bits, against the results of all numbers in them. */
final class OperationRangeTest {
  private static final int BITS = 8;
  private static final int LEFT = 0;
  private static final int RIGHT = 1;
  private static final int UNKNOWN = 2;
  private static final int RESULT = 3;
  private static final int INTERVALS = 600;

  /** The intervals that are exact, of those of two known operands; a few differ by their hull. */
  @ParameterizedTest
  @CsvSource({
    "AND, 60",
    "OR, 40",
    "XOR, 40",
    "SHIFT_LEFT, 40",
    "SHIFT_RIGHT, 300",
    "SHIFT_RIGHT_UNSIGNED, 500",
    "DIVIDE, 200",
    "DIVIDE_UNSIGNED, 500",
    "REMAINDER, 90",
    "REMAINDER_UNSIGNED, 100",
    "MIN, 600",
    "MAX, 600",
    "MIN_UNSIGNED, 600",
    "MAX_UNSIGNED, 600"
  })
  void everyResultOfTwoNumbersIsInTheIntervalOfTheirIntervals(Operator operator, int exact) {
    Random random = new Random(operator.ordinal());
    int tight = 0;
    for (int i = 0; i < INTERVALS; i++) {
      RangeProgram.Results results = new RangeProgram.Results(program());
      boolean distance = operator.name().startsWith("SHIFT");
      set(results, LEFT, random, operator, false);
      set(results, RIGHT, random, operator, distance);
      OperationRange.set(step(operator, new int[0]), results, RESULT);
      tight += isExact(operator, results) ? 1 : 0;
    }
    assertThat(tight).isGreaterThanOrEqualTo(exact);
  }

  @ParameterizedTest
  @CsvSource({"AND", "OR", "SHIFT_RIGHT_UNSIGNED", "REMAINDER", "MIN", "MAX_UNSIGNED"})
  void anOperandWhoseIntervalIsNotThatOfItsBitsMayBeAnyNumber(Operator operator) {
    Random random = new Random(operator.ordinal());
    boolean unsigned = OperationRange.isUnsigned(operator);
    for (int i = 0; i < INTERVALS / 10; i++) {
      RangeProgram.Results results = new RangeProgram.Results(program());
      set(results, LEFT, random, operator, false);
      set(results, RIGHT, random, operator, false);
      OperationRange.set(step(operator, new int[] {UNKNOWN}), results, RESULT);
      results.set(LEFT, OperationRange.least(BITS, unsigned), OperationRange.most(BITS, unsigned));
      isExact(operator, results);
    }
  }

  private static RangeProgram program() {
    RangeProgram program = new RangeProgram();
    for (int i = 0; i <= RESULT; i++) {
      program.add(new RangeProgram.Fixed(0, 0, true, true));
    }
    return program;
  }

  private static RangeProgram.Apply step(Operator operator, int[] leftChecks) {
    return new RangeProgram.Apply(operator, BITS, LEFT, RIGHT, leftChecks, new int[0], true, true);
  }

  /** Sets an interval of up to sixteen numbers, or of a single one. */
  private static void set(
      RangeProgram.Results results, int step, Random random, Operator operator, boolean small) {
    boolean unsigned = OperationRange.isUnsigned(operator);
    long least = OperationRange.least(BITS, unsigned);
    long low = small ? random.nextInt(10) : least + random.nextInt(256);
    long most = OperationRange.most(BITS, unsigned);
    results.set(step, low, Math.min(most, low + (random.nextInt(4) == 0 ? 0 : random.nextInt(16))));
  }

  /** Whether the interval is exact; fails if it does not contain a result. */
  private static boolean isExact(Operator operator, RangeProgram.Results results) {
    boolean unsigned = OperationRange.isUnsigned(operator);
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (long a = results.low[LEFT]; a <= results.high[LEFT]; a++) {
      for (long b = results.low[RIGHT]; b <= results.high[RIGHT]; b++) {
        if (b == 0 && Machine.divides(operator)) {
          continue;
        }
        long held =
            Machine.apply(operator, BITS, BITS, Machine.held(a, BITS), Machine.held(b, BITS));
        long value = unsigned ? Machine.unsigned(held, BITS) : held;
        assertThat(value)
            .as("%s of %s and %s", operator, a, b)
            .isBetween(results.low[RESULT], results.high[RESULT]);
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    return least == results.low[RESULT] && most == results.high[RESULT];
  }
}

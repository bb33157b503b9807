package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.bounds.RangeProgram.Checked;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Counted;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Ends;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Fixed;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Inside;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Narrowed;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Quotient;
import dev.streamfence.internal.ptx.bounds.RangeProgram.RangeStep;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Results;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Sum;
import dev.streamfence.internal.ptx.bounds.RangeProgram.UpTo;
import dev.streamfence.internal.ptx.bounds.RangeProgram.Within;
import dev.streamfence.internal.ptx.symbolic.Interval;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The intervals of single steps. */
final class RangeStepsTest {
  private final RangeProgram program = new RangeProgram();

  /** A step with a fixed interval. */
  private int between(long least, long most) {
    return program.add(new Fixed(least, most, true, true));
  }

  private void gives(RangeStep step, long least, long most) {
    int self = program.add(step);
    Results results = new Results(program);
    // No step reads a number of the launch.
    program.run(new Shape(1, 1), results);
    assertThat(new long[] {results.low[self], results.high[self]}).containsExactly(least, most);
  }

  private static int[] checks(int... checks) {
    return checks;
  }

  @ParameterizedTest
  @CsvSource({"0, 9, 0, 9, 1", "1, 9, 0, 9, 0", "0, 8, 0, 9, 0", "0, 9, 3, 3, 1", "0, 9, 4, 3, 1"})
  void aStepIsWithinWhatContainsAllItsValues(
      long least, long most, long low, long high, int expected) {
    gives(new Within(between(low, high), least, most), expected, expected);
  }

  @ParameterizedTest
  @CsvSource({"-9223372036854775808, 9", "-9, 9223372036854775807"})
  void aStepWithoutAnEndIsWithinNothing(long low, long high) {
    gives(new Within(between(low, high), Interval.LEAST, Interval.MOST), 0, 0);
  }

  @ParameterizedTest
  @CsvSource({"1, 3, 7", "0, -128, 127"})
  void aCheckThatFailsLeavesAllValuesOfTheWidth(int holds, long least, long most) {
    int check = between(holds, holds);
    gives(new Checked(between(3, 7), -128, 127, checks(check), true, true), least, most);
  }

  @ParameterizedTest
  @CsvSource({"0, 9, 1, 9", "-9, 0, -9, -1", "-9, 9, -9, 9", "0, 0, 1, -1"})
  void whatIsNotZeroBeginsOrEndsBesideIt(long low, long high, long least, long most) {
    gives(new Narrowed(between(low, high), checks(), true, checks(), true), least, most);
    int fails = between(0, 0);
    gives(new Narrowed(between(low, high), checks(), true, checks(fails), true), low, high);
  }

  @ParameterizedTest
  @CsvSource({"-5, 9, 0, 9", "2, 9, 2, 9"})
  void whatIsNotNegativeBeginsAtZero(long low, long high, long least, long most) {
    gives(new Narrowed(between(low, high), checks(), false, checks(), true), least, most);
    int fails = between(0, 0);
    gives(new Narrowed(between(low, high), checks(), false, checks(fails), true), low, high);
  }

  @ParameterizedTest
  @CsvSource({"-3, -1, -3", "-1, -3, -3", "-9, 2, -5", "4, 6, 4"})
  void aDifferenceOfALoopBeginsAtTheLeastThatItsGuardLeaves(long one, long other, long least) {
    int[] ends = {between(one, 20), between(other, 20)};
    gives(new Narrowed(between(-5, 9), ends, false, checks(), true), least, 9);
  }

  @ParameterizedTest
  @CsvSource({
    // What falls by three from a multiple of three on meets 0.
    "12, 12, 3, false, 0",
    "11, 11, 3, false, -7",
    "11, 12, 3, false, -7",
    "12, 15, 3, false, -7",
    "11, 12, 3, true, 0",
    "11, 12, 1, false, 0",
    "0, 0, 3, false, 0",
    "-3, -3, 3, false, -7",
    "-1, 12, 1, false, -7",
    "-1, 12, 3, true, -7",
  })
  void aLoopThatMeetsZeroStopsThere(
      long low, long high, long step, boolean divides, long expected) {
    int first = between(low, high);
    gives(new Counted(between(-7, 20), first, step, divides, checks(), true), expected, 20);
    int fails = between(0, 0);
    gives(new Counted(between(-7, 20), first, step, divides, checks(fails), true), -7, 20);
    gives(new Counted(between(2, 20), first, step, divides, checks(), true), 2, 20);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 3, 4, 5, 8, 15",
    "-2, 3, 4, 5, -10, 15",
    "-3, -2, 4, 5, -15, -8",
    "-3, -2, -5, -4, 8, 15",
    "0, 0, -9223372036854775808, 9223372036854775807, 0, 0",
    "1, 2, 3, 9223372036854775807, 3, 9223372036854775807",
    "-2, -1, 3, 9223372036854775807, -9223372036854775808, -3",
    "4294967296, 4294967296, 2147483648, 2147483648, 9223372036854775807, 9223372036854775807",
    "4294967296, 4294967296, -4294967296, -4294967296, -9223372036854775808, -9223372036854775808",
    "4294967296, 4294967296, -4294967296, 2147483648, -9223372036854775808, 9223372036854775807"
  })
  void aProductIsBetweenThoseOfTheEnds(long a, long b, long c, long d, long least, long most) {
    int[][] factors = {{between(a, b), between(c, d)}};
    gives(new Sum(new long[] {1}, factors, true, true), least, most);
  }

  @ParameterizedTest
  @CsvSource({
    // 2 * (x + d / 2) = 2 * x + d - rest, with a rest of 0 or 1.
    "0, 199, -1, 0, 1, 0, 99",
    "1, 200, -1, 0, 1, 0, 100",
    "-3, -1, -1, 0, 1, -2, -1",
    "-4, -2, 0, 1, 1, -2, -1",
    // Multiples of 4 alone.
    "8, 1598, -4, 0, 4, 4, 796",
    "-9, -1, -4, 0, 4, -4, -4"
  })
  void aSumLiesBetweenTheHalvesOfItsDouble(
      long low, long high, long leastRest, long mostRest, long unit, long least, long most) {
    gives(
        new Quotient(between(low, high), 2, leastRest, mostRest, unit, checks(), true, true),
        least,
        most);
    int fails = between(0, 0);
    gives(
        new Quotient(between(low, high), 2, leastRest, mostRest, unit, checks(fails), true, true),
        Interval.LEAST,
        Interval.MOST);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 9, 4, 0, 4",
    "-1, 3, 9, -1, 3",
    "0, 9, 0, 0, 0",
    "0, 9, -1, 9223372036854775807, -9223372036854775808"
  })
  void numbersLieBetweenTheLeastOneAndTheLeastEnd(
      long from, long most, long end, long least, long greatest) {
    gives(new UpTo(from, checks(between(end, end), between(12, 12)), most), least, greatest);
  }

  @ParameterizedTest
  @CsvSource({"1, 2, 11", "0, 0, 2", "-1, -1, 2"})
  void valuesThatMoveTowardsEachOtherStayBetweenTheirFirstOnes(
      int direction, long least, long most) {
    int own = between(2, 2);
    gives(new Ends(checks(own), checks(own, between(5, 10)), direction), least, most);
  }

  @ParameterizedTest
  @CsvSource({"0, 9, 1", "-1, 9, 0", "0, 10, 0", "5, 4, 1"})
  void aStepIsInsideOfAnotherThatHasAllItsValues(long low, long high, int expected) {
    gives(new Inside(checks(between(low, high)), checks(between(0, 9))), expected, expected);
  }
}

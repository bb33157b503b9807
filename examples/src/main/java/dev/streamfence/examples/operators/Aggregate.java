package dev.streamfence.examples.operators;

/**
 * One number for the rows of each group. Nulls are left out; without other values, the result is
 * null, but for a count. Immutable.
 *
 * @param name of the result's column
 * @param function what it computes
 * @param operand of each row
 */
public record Aggregate(String name, Function function, Expression operand) {
  /** What an aggregate computes, with the numbers that {@code aggregates.cu} gives it. */
  enum Function {
    COUNT(0),
    SUM(1),
    AVERAGE(1),
    LEAST(3),
    MOST(4);

    private final int code;

    Function(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** The number of rows, nulls included: an {@code int64}. */
  public static Aggregate count(String name) {
    return new Aggregate(name, Function.COUNT, Expression.number(1));
  }

  /** The number of rows whose value is not null: an {@code int64}. */
  public static Aggregate count(String name, Expression operand) {
    return new Aggregate(name, Function.COUNT, operand);
  }

  /**
   * The sum: an {@code int64} of integers, which wraps around at 2⁶³, a {@code decimal(18, s)} of
   * decimals, and a {@code float64} of floating-point numbers, added up in any order.
   */
  public static Aggregate sum(String name, Expression operand) {
    return new Aggregate(name, Function.SUM, operand);
  }

  /** The average, a {@code float64}: the exact sum by the count, for integers and decimals. */
  public static Aggregate average(String name, Expression operand) {
    return new Aggregate(name, Function.AVERAGE, operand);
  }

  /** The least value, of the operand's type. */
  public static Aggregate least(String name, Expression operand) {
    return new Aggregate(name, Function.LEAST, operand);
  }

  /** The largest value, of the operand's type. */
  public static Aggregate most(String name, Expression operand) {
    return new Aggregate(name, Function.MOST, operand);
  }
}

package dev.streamfence.examples.operators;

import dev.streamfence.column.ColumnType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Arrays;

/**
 * A value for each row of a table, computed of its columns: a number, a date or a condition. A null
 * operand makes the result null, except that {@code false and null} is false and {@code true or
 * null} is true, as in SQL.
 *
 * <p>Integers of all widths are computed in 64 bits and wrap around at 2⁶³. Decimals have up to 18
 * digits, and as many after the point as the operands: the more of the two in a sum, both together
 * in a product. With a floating-point operand, and in a quotient, everything is a double of IEEE
 * 754. Immutable.
 */
public sealed interface Expression {
  /** The values of a column. Text can be compared with {@link #isText} and {@link #isLike} only. */
  static Expression column(String name) {
    return new Column(name);
  }

  /** The same integer in each row. */
  static Expression number(long value) {
    return new Constant(ColumnType.INT64, value);
  }

  /** The same floating-point number in each row. */
  static Expression number(double value) {
    return new Constant(ColumnType.FLOAT64, Double.doubleToRawLongBits(value));
  }

  /**
   * The same decimal number in each row.
   *
   * @param value such as {@code 0.05}, which has two digits after the point
   * @throws IllegalArgumentException if it is no such number, does not fit in 64 bits, or has more
   *     than 18 digits after the point
   */
  static Expression decimal(String value) {
    return Constant.decimal(value);
  }

  /** The same day in each row. */
  static Expression date(LocalDate day) {
    return new Constant(ColumnType.DATE32, day.toEpochDay());
  }

  /** The sum. A date plus an integer is that many days later. */
  default Expression plus(Expression other) {
    return new Binary(Operation.ADD, this, other);
  }

  /** The difference. A date minus a date is a number of days. */
  default Expression minus(Expression other) {
    return new Binary(Operation.SUBTRACT, this, other);
  }

  /** The product. */
  default Expression times(Expression other) {
    return new Binary(Operation.MULTIPLY, this, other);
  }

  /** The quotient, a double. */
  default Expression dividedBy(Expression other) {
    return new Binary(Operation.DIVIDE, this, other);
  }

  /** Whether it is less than another value. */
  default Expression isLess(Expression other) {
    return new Binary(Operation.LESS, this, other);
  }

  /** Whether it is at most another value. */
  default Expression isAtMost(Expression other) {
    return new Binary(Operation.AT_MOST, this, other);
  }

  /** Whether it is more than another value. */
  default Expression isMore(Expression other) {
    return new Binary(Operation.MORE, this, other);
  }

  /** Whether it is at least another value. */
  default Expression isAtLeast(Expression other) {
    return new Binary(Operation.AT_LEAST, this, other);
  }

  /** Whether it lies between two values, both included. */
  default Expression isBetween(Expression least, Expression most) {
    return isAtLeast(least).and(isAtMost(most));
  }

  /** Whether it equals another value. */
  default Expression isEqual(Expression other) {
    return new Binary(Operation.EQUAL, this, other);
  }

  /** Whether this condition and another one are true. */
  default Expression and(Expression other) {
    return new Binary(Operation.AND, this, other);
  }

  /** Whether this condition or another one is true. */
  default Expression or(Expression other) {
    return new Binary(Operation.OR, this, other);
  }

  /** Whether this condition is false. */
  default Expression not() {
    return new Not(this);
  }

  /** Whether it is null, which itself is never null. */
  default Expression isNull() {
    return new IsNull(this);
  }

  /** The year of a date in the Gregorian calendar. */
  default Expression year() {
    return new Year(this);
  }

  /** One value where this condition is true, another one where it is false or null. */
  default Expression choose(Expression then, Expression otherwise) {
    return new Choice(this, then, otherwise);
  }

  /** Whether a column of text equals one of some texts. */
  default Expression isText(String first, String... others) {
    return Arrays.stream(others)
        .<Expression>map(text -> new Text(this, text, false))
        .reduce(new Text(this, first, false), Expression::or);
  }

  /**
   * Whether a column of text matches a pattern, in which {@code %} stands for any characters and
   * {@code _} for one. There is no escape for these two.
   */
  default Expression isLike(String pattern) {
    return new Text(this, pattern, true);
  }

  /** See {@link #column}. */
  record Column(String name) implements Expression {
    @Override
    public String toString() {
      return name;
    }
  }

  /** The same value in each row, as the bits of a vector. */
  record Constant(ColumnType type, long bits) implements Expression {
    private static Constant decimal(String value) {
      try {
        BigDecimal decimal = new BigDecimal(value);
        int scale = Math.max(decimal.scale(), 0);
        return new Constant(
            ColumnType.decimal(18, scale),
            decimal.setScale(scale).unscaledValue().longValueExact());
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("'" + value + "' is no decimal number", e);
      } catch (ArithmeticException e) {
        throw new IllegalArgumentException(
            "the decimal number " + value + " does not fit in 64 bits", e);
      }
    }
  }

  /** An operation of two operands. */
  record Binary(Operation operation, Expression left, Expression right) implements Expression {}

  /** See {@link #not}. */
  record Not(Expression condition) implements Expression {}

  /** See {@link #isNull}. */
  record IsNull(Expression operand) implements Expression {}

  /** See {@link #year}. */
  record Year(Expression date) implements Expression {}

  /** See {@link #choose}. */
  record Choice(Expression condition, Expression then, Expression otherwise)
      implements Expression {}

  /** A comparison of text, with a pattern or whole. */
  record Text(Expression column, String text, boolean isPattern) implements Expression {}
}

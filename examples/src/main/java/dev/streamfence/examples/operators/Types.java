package dev.streamfence.examples.operators;

import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;

/** The types of expressions. */
final class Types {
  private Types() {}

  /**
   * The type of the result of an operation of two numbers or dates.
   *
   * @throws IllegalArgumentException if the operation does not have these operands
   */
  static ColumnType of(Operation operation, Value left, Value right) {
    if (left.isDate() || right.isDate() || !areNumbers(left, right)) {
      return ofDates(operation, left, right);
    }
    if (operation.compares()) {
      return ColumnType.BOOL8;
    }
    if (operation == Operation.DIVIDE || left.isFloating() || right.isFloating()) {
      return ColumnType.FLOAT64;
    }
    return exact(
        operation == Operation.MULTIPLY
            ? left.scale() + right.scale()
            : Math.max(left.scale(), right.scale()));
  }

  /**
   * The type of a value that is one or the other.
   *
   * @throws IllegalArgumentException if their types do not go together
   */
  static ColumnType ofChoice(Value then, Value otherwise) {
    if (areNumbers(then, otherwise)) {
      return then.isFloating() || otherwise.isFloating()
          ? ColumnType.FLOAT64
          : exact(Math.max(then.scale(), otherwise.scale()));
    }
    if (!then.type().equals(otherwise.type())) {
      throw new IllegalArgumentException(
          "a choice needs two values of one type, not " + then.type() + " and " + otherwise.type());
    }
    return then.type();
  }

  private static ColumnType ofDates(Operation operation, Value left, Value right) {
    boolean areOfOneType = left.type().equals(right.type());
    if (operation.compares() && areOfOneType) {
      return ColumnType.BOOL8;
    }
    if (left.isDate() && right.isDate() && operation == Operation.SUBTRACT) {
      return ColumnType.INT64;
    }
    if (left.isDate()
        && right.type().equals(ColumnType.INT64)
        && (operation == Operation.ADD || operation == Operation.SUBTRACT)) {
      return ColumnType.DATE32;
    }
    throw new IllegalArgumentException(
        operation + " does not take " + left.type() + " and " + right.type());
  }

  private static boolean areNumbers(Value left, Value right) {
    return isNumber(left) && isNumber(right);
  }

  /** Whether it can be added up. */
  static boolean isNumber(Value value) {
    return value.isExact() || value.isFloating();
  }

  /** Whether it is text, in a dictionary or not. */
  static boolean isText(ColumnType type) {
    return type instanceof DictionaryType || type.equals(ColumnType.UTF8);
  }

  private static ColumnType exact(int scale) {
    if (scale > DecimalType.MAX_PRECISION) {
      throw new IllegalArgumentException(
          "a decimal with "
              + scale
              + " digits after the point; up to "
              + DecimalType.MAX_PRECISION
              + " fit");
    }
    return scale == 0 ? ColumnType.INT64 : ColumnType.decimal(DecimalType.MAX_PRECISION, scale);
  }

  /** 10 to a power from 0 to 18. */
  static long powerOfTen(int exponent) {
    long power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= 10;
    }
    return power;
  }
}

package dev.streamfence.examples.operators;

import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import org.jspecify.annotations.Nullable;

/**
 * The value of an expression: a vector, or a constant where {@code numbers} is null. It owns
 * nothing.
 *
 * @param type of its rows: an integer is {@link ColumnType#INT64}, a floating-point number {@link
 *     ColumnType#FLOAT64} and a condition {@link ColumnType#BOOL8}
 * @param numbers one per row, as {@link Vector} describes them
 * @param known a byte per row, 0 for null; null if no row is null
 * @param constant of all rows, if there are no numbers
 */
record Value(
    ColumnType type,
    @Nullable ReadableArray<long[]> numbers,
    @Nullable ReadableArray<byte[]> known,
    long constant) {
  static Value of(
      ColumnType type, ReadableArray<long[]> numbers, @Nullable ReadableArray<byte[]> known) {
    return new Value(type, numbers, known, 0);
  }

  static Value constant(ColumnType type, long bits) {
    return new Value(type, null, null, bits);
  }

  Vector vector() {
    return new Vector(numbers, known);
  }

  boolean isFloating() {
    return type.equals(ColumnType.FLOAT64);
  }

  boolean isCondition() {
    return type.equals(ColumnType.BOOL8);
  }

  boolean isDate() {
    return type.equals(ColumnType.DATE32);
  }

  /** Digits after the point; 0 for an integer. */
  int scale() {
    return type instanceof DecimalType decimal ? decimal.scale() : 0;
  }

  /** Whether it is an integer or a decimal. */
  boolean isExact() {
    return type.equals(ColumnType.INT64) || type instanceof DecimalType;
  }
}

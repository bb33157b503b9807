package dev.streamfence.column;

import dev.streamfence.column.PlainType.Kind;

/**
 * The type of a column's values: one of Arrow's, under the name that Arrow's own factories use.
 * Types are values: equal if their content is equal. Immutable.
 */
public sealed interface ColumnType permits PlainType, TimestampType, DecimalType, DictionaryType {
  /** One bit, 0 or 1; the first value is the lowest bit of the first byte. */
  PlainType BOOL = new PlainType("bool", Kind.BIT, 1, byte[].class);

  /** One byte, 0 or 1: Arrow's extension type {@code arrow.bool8}, which kernels can write. */
  PlainType BOOL8 = new PlainType("bool8", Kind.FLAG, 8, boolean[].class);

  /** A signed byte. */
  PlainType INT8 = new PlainType("int8", Kind.SIGNED, 8, byte[].class);

  /** A signed 16-bit number. */
  PlainType INT16 = new PlainType("int16", Kind.SIGNED, 16, short[].class);

  /** A signed 32-bit number. */
  PlainType INT32 = new PlainType("int32", Kind.SIGNED, 32, int[].class);

  /** A signed 64-bit number. */
  PlainType INT64 = new PlainType("int64", Kind.SIGNED, 64, long[].class);

  /** An unsigned byte. */
  PlainType UINT8 = new PlainType("uint8", Kind.UNSIGNED, 8, byte[].class);

  /** An unsigned 16-bit number. */
  PlainType UINT16 = new PlainType("uint16", Kind.UNSIGNED, 16, char[].class);

  /** An unsigned 32-bit number; Java reads it as a signed one. */
  PlainType UINT32 = new PlainType("uint32", Kind.UNSIGNED, 32, int[].class);

  /** An unsigned 64-bit number; Java reads it as a signed one. */
  PlainType UINT64 = new PlainType("uint64", Kind.UNSIGNED, 64, long[].class);

  /** An IEEE 754 binary32 number. */
  PlainType FLOAT32 = new PlainType("float32", Kind.FLOATING, 32, float[].class);

  /** An IEEE 754 binary64 number. */
  PlainType FLOAT64 = new PlainType("float64", Kind.FLOATING, 64, double[].class);

  /** Days since 1970-01-01, signed. */
  PlainType DATE32 = new PlainType("date32", Kind.DATE, 32, int[].class);

  /**
   * Text: the values are its bytes, one row after the other, and 32-bit offsets say where each row
   * begins.
   */
  PlainType UTF8 = new PlainType("utf8", Kind.TEXT, 0, byte[].class);

  /**
   * Bits that one value takes: 1 for {@link #BOOL}, 8 times the bytes of an element otherwise, and
   * 0 for {@link #UTF8}, whose values differ in length.
   */
  int bitWidth();

  /** The Java type of the array of values, such as {@code int[].class}. */
  Class<?> arrayType();

  /** A time without a time zone. */
  static TimestampType timestamp(TimestampUnit unit) {
    return new TimestampType(unit, "");
  }

  /**
   * A point in time, displayed in a time zone.
   *
   * @param timezone its name or its offset, such as {@code Europe/Zurich} or {@code +01:00}; empty
   *     for a time without one
   */
  static TimestampType timestamp(TimestampUnit unit, String timezone) {
    return new TimestampType(unit, timezone);
  }

  /**
   * A decimal number in 64 bits.
   *
   * @param precision digits, from 1 to 18
   * @param scale how many of them come after the point
   * @throws IllegalArgumentException if the precision does not fit in 64 bits
   */
  static DecimalType decimal(int precision, int scale) {
    return new DecimalType(precision, scale);
  }

  /**
   * Text with few distinct values, as row numbers of a dictionary.
   *
   * @param index the type of the numbers, an integer of any width
   * @throws IllegalArgumentException if {@code index} is not an integer type
   */
  static DictionaryType dictionary(PlainType index) {
    return new DictionaryType(index, UTF8, false);
  }
}

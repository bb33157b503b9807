package dev.streamfence.column;

/**
 * The type of a column's values: one of Arrow's, under the name that Arrow's own factories give it.
 * Types are values: equal if they say the same. Immutable.
 */
public sealed interface ColumnType permits PlainType, TimestampType, DecimalType, DictionaryType {
  /** See {@link PlainType#BOOL}. */
  PlainType BOOL = PlainType.BOOL;

  /** See {@link PlainType#BOOL8}. */
  PlainType BOOL8 = PlainType.BOOL8;

  /** See {@link PlainType#INT8}. */
  PlainType INT8 = PlainType.INT8;

  /** See {@link PlainType#INT16}. */
  PlainType INT16 = PlainType.INT16;

  /** See {@link PlainType#INT32}. */
  PlainType INT32 = PlainType.INT32;

  /** See {@link PlainType#INT64}. */
  PlainType INT64 = PlainType.INT64;

  /** See {@link PlainType#UINT8}. */
  PlainType UINT8 = PlainType.UINT8;

  /** See {@link PlainType#UINT16}. */
  PlainType UINT16 = PlainType.UINT16;

  /** See {@link PlainType#UINT32}. */
  PlainType UINT32 = PlainType.UINT32;

  /** See {@link PlainType#UINT64}. */
  PlainType UINT64 = PlainType.UINT64;

  /** See {@link PlainType#FLOAT32}. */
  PlainType FLOAT32 = PlainType.FLOAT32;

  /** See {@link PlainType#FLOAT64}. */
  PlainType FLOAT64 = PlainType.FLOAT64;

  /** See {@link PlainType#DATE32}. */
  PlainType DATE32 = PlainType.DATE32;

  /** See {@link PlainType#UTF8}. */
  PlainType UTF8 = PlainType.UTF8;

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
   * A point in time, to be shown in a time zone.
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
   * @throws IllegalArgumentException if 64 bits do not hold the precision
   */
  static DecimalType decimal(int precision, int scale) {
    return new DecimalType(precision, scale);
  }

  /**
   * Text of few distinct values, as numbers of the rows of a dictionary.
   *
   * @param index the type of the numbers, an integer of any width
   * @throws IllegalArgumentException if {@code index} is no integer type
   */
  static DictionaryType dictionary(PlainType index) {
    return new DictionaryType(index, UTF8, false);
  }
}

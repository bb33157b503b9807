package dev.streamfence.column;

import java.util.stream.Stream;

/** A type without parameters, one of the constants of {@link ColumnType}. Immutable. */
public final class PlainType implements ColumnType {
  /** What the values of a plain type are. */
  public enum Kind {
    /** Bits, eight of them in a byte. */
    BIT,
    /** Bytes that are 0 or 1. */
    FLAG,
    /** Signed integers. */
    SIGNED,
    /** Unsigned integers. */
    UNSIGNED,
    /** IEEE 754 numbers. */
    FLOATING,
    /** Days. */
    DATE,
    /** Text. */
    TEXT
  }

  private final String text;
  private final Kind kind;
  private final int bitWidth;
  private final Class<?> arrayType;

  PlainType(String text, Kind kind, int bitWidth, Class<?> arrayType) {
    this.text = text;
    this.kind = kind;
    this.bitWidth = bitWidth;
    this.arrayType = arrayType;
  }

  /**
   * The integer type of a width.
   *
   * @throws IllegalArgumentException if the width is not 8, 16, 32 or 64
   */
  public static PlainType integer(int bits, boolean isSigned) {
    return Stream.of(INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)
        .filter(type -> type.bitWidth == bits && (type.kind == Kind.SIGNED) == isSigned)
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("an integer of " + bits + " bits; 8 to 64 fit"));
  }

  /** What its values are. */
  public Kind kind() {
    return kind;
  }

  @Override
  public int bitWidth() {
    return bitWidth;
  }

  @Override
  public Class<?> arrayType() {
    return arrayType;
  }

  /** Whether it is a signed or an unsigned integer. Dates are not integers. */
  public boolean isInteger() {
    return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
  }

  @Override
  public String toString() {
    return text;
  }
}

package dev.streamfence.column;

/** The types without parameters. Immutable. */
public enum PlainType implements ColumnType {
  /** One bit, 0 or 1; the first value is the lowest bit of the first byte. */
  BOOL("bool", 1, byte[].class),
  /** One byte, 0 or 1: Arrow's extension type {@code arrow.bool8}, which kernels can write. */
  BOOL8("bool8", 8, boolean[].class),
  /** A signed byte. */
  INT8("int8", 8, byte[].class),
  /** A signed 16-bit number. */
  INT16("int16", 16, short[].class),
  /** A signed 32-bit number. */
  INT32("int32", 32, int[].class),
  /** A signed 64-bit number. */
  INT64("int64", 64, long[].class),
  /** An unsigned byte. */
  UINT8("uint8", 8, byte[].class),
  /** An unsigned 16-bit number. */
  UINT16("uint16", 16, char[].class),
  /** An unsigned 32-bit number; Java reads it as a signed one. */
  UINT32("uint32", 32, int[].class),
  /** An unsigned 64-bit number; Java reads it as a signed one. */
  UINT64("uint64", 64, long[].class),
  /** An IEEE 754 binary32 number. */
  FLOAT32("float32", 32, float[].class),
  /** An IEEE 754 binary64 number. */
  FLOAT64("float64", 64, double[].class),
  /** Days since 1970-01-01, signed. */
  DATE32("date32", 32, int[].class),
  /**
   * Text: the values are its bytes, one row after the other, and 32-bit offsets say where each row
   * begins.
   */
  UTF8("utf8", 0, byte[].class);

  private final String text;
  private final int bitWidth;
  private final Class<?> arrayType;

  PlainType(String text, int bitWidth, Class<?> arrayType) {
    this.text = text;
    this.bitWidth = bitWidth;
    this.arrayType = arrayType;
  }

  @Override
  public int bitWidth() {
    return bitWidth;
  }

  @Override
  public Class<?> arrayType() {
    return arrayType;
  }

  /** Whether it is a signed or an unsigned integer. Dates are none. */
  public boolean isInteger() {
    return switch (this) {
      case INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64 -> true;
      case BOOL, BOOL8, FLOAT32, FLOAT64, DATE32, UTF8 -> false;
    };
  }

  @Override
  public String toString() {
    return text;
  }
}

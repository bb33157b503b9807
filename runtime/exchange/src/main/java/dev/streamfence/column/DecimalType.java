package dev.streamfence.column;

/**
 * A decimal number as a signed 64-bit integer: the number times ten to the power of the scale.
 * Immutable.
 *
 * @param precision the most digits that a value has, from 1 to 18
 * @param scale how many of them come after the point; if negative, how many zeros follow the digits
 */
public record DecimalType(int precision, int scale) implements ColumnType {
  /** The most digits for which every number fits in 64 bits. */
  public static final int MAX_PRECISION = 18;

  /** Refuses a precision that does not fit in 64 bits. */
  public DecimalType {
    if (precision < 1 || precision > MAX_PRECISION) {
      throw new IllegalArgumentException(
          "a decimal of " + precision + " digits; 64 bits hold 1 to " + MAX_PRECISION);
    }
  }

  @Override
  public int bitWidth() {
    return 64;
  }

  @Override
  public Class<?> arrayType() {
    return long[].class;
  }

  @Override
  public String toString() {
    return "decimal64(" + precision + ", " + scale + ")";
  }
}

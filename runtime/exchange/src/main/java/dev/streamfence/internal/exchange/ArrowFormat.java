package dev.streamfence.internal.exchange;

import java.util.List;
import java.util.Set;

/**
 * The type of a field, which Arrow's C interface writes as a short text. Immutable.
 *
 * @param kind what the values are
 * @param bits of one value; 0 for text and structures
 * @param precision the digits of a decimal, else 0
 * @param scale the digits after a decimal's point, else 0
 * @param unit what a timestamp counts: {@code s}, {@code m}, {@code u} or {@code n}; else a space
 * @param timezone of a timestamp; empty for none
 */
public record ArrowFormat(
    ValueKind kind, int bits, int precision, int scale, char unit, String timezone) {
  /** What the values of a field are. */
  public enum ValueKind {
    /** Bits. */
    BOOL,
    /** Signed integers. */
    INT,
    /** Unsigned integers. */
    UINT,
    /** IEEE 754 numbers. */
    FLOAT,
    /** Days since 1970-01-01. */
    DATE,
    /** Units of time since 1970-01-01. */
    TIMESTAMP,
    /** Integers with a decimal point. */
    DECIMAL,
    /** Text in UTF-8 with offsets of 32 bits. */
    UTF8,
    /** The fields of a table. */
    STRUCT
  }

  private static final Set<Integer> DECIMAL_BITS = Set.of(32, 64, 128, 256);
  private static final String UNITS = "smun";

  private static final List<ArrowFormat> PLAIN =
      List.of(
          of(ValueKind.BOOL, 1),
          of(ValueKind.INT, 8),
          of(ValueKind.UINT, 8),
          of(ValueKind.INT, 16),
          of(ValueKind.UINT, 16),
          of(ValueKind.INT, 32),
          of(ValueKind.UINT, 32),
          of(ValueKind.INT, 64),
          of(ValueKind.UINT, 64),
          of(ValueKind.FLOAT, 32),
          of(ValueKind.FLOAT, 64),
          of(ValueKind.DATE, 32),
          of(ValueKind.UTF8, 0),
          of(ValueKind.STRUCT, 0));

  /** A type without parameters. */
  public static ArrowFormat of(ValueKind kind, int bits) {
    return new ArrowFormat(kind, bits, 0, 0, ' ', "");
  }

  /** A timestamp of 64 bits. */
  public static ArrowFormat timestamp(char unit, String timezone) {
    return new ArrowFormat(ValueKind.TIMESTAMP, 64, 0, 0, unit, timezone);
  }

  /** A decimal. */
  public static ArrowFormat decimal(int precision, int scale, int bits) {
    return new ArrowFormat(ValueKind.DECIMAL, bits, precision, scale, ' ', "");
  }

  /**
   * Reads a type.
   *
   * @param field describes the field in errors
   * @throws IllegalArgumentException if the type is not one of {@link ValueKind}
   */
  static ArrowFormat parse(String text, String field) {
    for (ArrowFormat plain : PLAIN) {
      if (plain.text().equals(text)) {
        return plain;
      }
    }
    if (text.startsWith("ts")
        && text.length() >= 4
        && UNITS.indexOf(text.charAt(2)) >= 0
        && text.charAt(3) == ':') {
      return timestamp(text.charAt(2), text.substring(4));
    }
    if (text.startsWith("d:")) {
      return parseDecimal(text, field);
    }
    throw unsupported(text, field);
  }

  private static ArrowFormat parseDecimal(String text, String field) {
    String[] numbers = text.substring(2).split(",", -1);
    if (numbers.length == 2 || numbers.length == 3) {
      try {
        int bits = numbers.length == 2 ? 128 : Integer.parseInt(numbers[2]);
        int precision = Integer.parseInt(numbers[0]);
        if (DECIMAL_BITS.contains(bits) && precision > 0) {
          return decimal(precision, Integer.parseInt(numbers[1]), bits);
        }
      } catch (NumberFormatException e) {
        // Refused below, like any other text.
      }
    }
    throw unsupported(text, field);
  }

  private static IllegalArgumentException unsupported(String text, String field) {
    return new IllegalArgumentException(
        field
            + " has the format '"
            + text
            + "'; supported are b, c, C, s, S, i, I, l, L, f, g, tdD, u, timestamps as in"
            + " 'tsu:UTC', decimals as in 'd:12,2,64', and +s at the top");
  }

  /** The text of the C interface, such as {@code tsu:UTC}. */
  String text() {
    return switch (kind) {
      case BOOL -> "b";
      case INT -> integer("csil");
      case UINT -> integer("CSIL");
      case FLOAT -> bits == 32 ? "f" : "g";
      case DATE -> "tdD";
      case TIMESTAMP -> "ts" + unit + ":" + timezone;
      case DECIMAL -> "d:" + precision + "," + scale + (bits == 128 ? "" : "," + bits);
      case UTF8 -> "u";
      case STRUCT -> "+s";
    };
  }

  private String integer(String letters) {
    return letters.substring(Integer.numberOfTrailingZeros(bits / Byte.SIZE)).substring(0, 1);
  }

  /** How many buffers an array of this type has: validity and what holds the values. */
  int buffers() {
    return switch (kind) {
      case STRUCT -> 1;
      case UTF8 -> 3;
      default -> 2;
    };
  }

  @Override
  public String toString() {
    return text();
  }
}

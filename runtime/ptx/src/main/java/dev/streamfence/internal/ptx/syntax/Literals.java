package dev.streamfence.internal.ptx.syntax;

import java.math.BigInteger;
import java.util.Optional;

/** Reads PTX's number literals. */
final class Literals {
  /** Fewer digits, in any radix, are a number that is not negative. */
  private static final int SHORT = 16;

  private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

  private Literals() {}

  /** Returns the operand for a number token; empty if the token is malformed. */
  static Optional<Operand> parse(String text, boolean negative) {
    if (text.length() > 80) {
      return Optional.empty();
    }
    try {
      return Optional.of(parseValid(text, negative));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Operand parseValid(String text, boolean negative) {
    if (text.length() == 10 && (text.startsWith("0f") || text.startsWith("0F"))) {
      int bits = Integer.parseUnsignedInt(text.substring(2), 16);
      return new Operand.FloatLiteral(
          (negative ? bits ^ Integer.MIN_VALUE : bits) & 0xFFFF_FFFFL, ScalarType.F32);
    }
    if (text.length() == 18 && (text.startsWith("0d") || text.startsWith("0D"))) {
      long bits = Long.parseUnsignedLong(text.substring(2), 16);
      return new Operand.FloatLiteral(negative ? bits ^ Long.MIN_VALUE : bits, ScalarType.F64);
    }
    boolean hexadecimal = text.startsWith("0x") || text.startsWith("0X");
    if (!hexadecimal
        && (text.indexOf('.') >= 0 || text.indexOf('e') > 0 || text.indexOf('E') > 0)) {
      if (!text.chars().allMatch(c -> "0123456789.eE+-".indexOf(c) >= 0)) {
        throw new NumberFormatException();
      }
      double value = Double.parseDouble(text);
      return new Operand.FloatLiteral(
          Double.doubleToRawLongBits(negative ? -value : value), ScalarType.F64);
    }
    long value = integer(text);
    return new Operand.IntegerLiteral(negative ? -value : value);
  }

  /** Returns an integer literal's bits. */
  static long integer(String text) {
    String digits = text;
    if (digits.endsWith("U") || digits.endsWith("u")) {
      digits = digits.substring(0, digits.length() - 1);
    }
    int radix = 10;
    if (digits.startsWith("0x") || digits.startsWith("0X")) {
      radix = 16;
      digits = digits.substring(2);
    } else if (digits.startsWith("0b") || digits.startsWith("0B")) {
      radix = 2;
      digits = digits.substring(2);
    } else if (digits.length() > 1 && digits.startsWith("0")) {
      radix = 8;
      digits = digits.substring(1);
    }
    if (digits.startsWith("-") || digits.startsWith("+")) {
      throw new NumberFormatException();
    }
    if (digits.length() < SHORT) {
      return Long.parseLong(digits, radix);
    }
    BigInteger value = new BigInteger(digits, radix);
    if (value.compareTo(TWO_TO_64) >= 0) {
      throw new NumberFormatException();
    }
    return value.longValue();
  }
}

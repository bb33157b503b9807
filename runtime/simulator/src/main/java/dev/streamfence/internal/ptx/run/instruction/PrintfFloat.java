package dev.streamfence.internal.ptx.run.instruction;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * Floating-point numbers as C prints them: exact, and rounded to the nearest even digit. Java's own
 * formatter rounds half up, and knows other rules for {@code %g} and {@code %a}. Stateless.
 */
final class PrintfFloat {
  private static final int DEFAULT_PRECISION = 6;
  private static final int MANTISSA_BITS = 52;
  private static final int MANTISSA_DIGITS = MANTISSA_BITS / 4;

  private PrintfFloat() {}

  static String format(PrintfDirective directive, double value) {
    String sign = directive.sign(Double.doubleToRawLongBits(value) < 0);
    String text;
    boolean finite = Double.isFinite(value);
    if (finite) {
      text = digits(directive, Math.abs(value));
    } else {
      text = Double.isNaN(value) ? "nan" : "inf";
    }
    if (directive.isUpperCase()) {
      text = text.toUpperCase(Locale.ROOT);
    }
    if (finite && Character.toLowerCase(directive.type()) == 'a') {
      return directive.pad(sign + text.substring(0, 2), text.substring(2), true);
    }
    return directive.pad(sign, text, finite);
  }

  private static String digits(PrintfDirective directive, double value) {
    int precision = directive.hasPrecision() ? directive.precision() : DEFAULT_PRECISION;
    boolean point = directive.has('#');
    return switch (Character.toLowerCase(directive.type())) {
      case 'f' -> fixed(value, precision, point);
      case 'e' -> scientific(value, precision, point);
      case 'g' -> shorter(value, Math.max(1, precision), point);
      default -> hexadecimal(value, directive.precision(), point);
    };
  }

  private static String fixed(double value, int precision, boolean point) {
    String text = new BigDecimal(value).setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
    return point && precision == 0 ? text + "." : text;
  }

  private static String scientific(double value, int precision, boolean point) {
    BigDecimal rounded = rounded(value, precision + 1);
    StringBuilder digits = new StringBuilder(rounded.unscaledValue().toString());
    while (digits.length() < precision + 1) {
      digits.append('0');
    }
    digits.setLength(precision + 1);
    if (precision > 0 || point) {
      digits.insert(1, '.');
    }
    int exponent = exponent(rounded);
    return digits
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }

  /** The shorter of the two styles, without zeros at the end. */
  private static String shorter(double value, int precision, boolean point) {
    int exponent = exponent(rounded(value, precision));
    boolean fixed = exponent >= -4 && exponent < precision;
    String text =
        fixed
            ? fixed(value, precision - 1 - exponent, point)
            : scientific(value, precision - 1, point);
    if (point) {
      return text;
    }
    int end = fixed ? text.length() : text.indexOf('e');
    String digits = text.substring(0, end);
    if (digits.indexOf('.') >= 0) {
      digits = digits.replaceFirst("\\.?0+$", "");
    }
    return digits + text.substring(end);
  }

  private static BigDecimal rounded(double value, int digits) {
    return new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
  }

  private static int exponent(BigDecimal value) {
    return value.signum() == 0 ? 0 : value.precision() - value.scale() - 1;
  }

  private static String hexadecimal(double value, int precision, boolean point) {
    long bits = Double.doubleToRawLongBits(value);
    int exponent = Math.getExponent(value);
    long mantissa = bits & ((1L << MANTISSA_BITS) - 1);
    if (exponent < Double.MIN_EXPONENT) {
      exponent = mantissa == 0 ? 0 : Double.MIN_EXPONENT;
    } else {
      mantissa |= 1L << MANTISSA_BITS;
    }
    if (precision >= 0 && precision < MANTISSA_DIGITS) {
      int dropped = 4 * (MANTISSA_DIGITS - precision);
      long half = 1L << (dropped - 1);
      long odd = mantissa >>> dropped & 1;
      mantissa = (mantissa + half - 1 + odd) >>> dropped << dropped;
    }
    StringBuilder digits = new StringBuilder();
    for (int shift = MANTISSA_BITS - 4; shift >= 0; shift -= 4) {
      digits.append(Character.forDigit((int) (mantissa >>> shift) & 15, 16));
    }
    if (precision == PrintfDirective.NO_PRECISION) {
      int end = digits.length();
      while (end > 0 && digits.charAt(end - 1) == '0') {
        end--;
      }
      digits.setLength(end);
    } else {
      while (digits.length() < precision) {
        digits.append('0');
      }
      digits.setLength(precision);
    }
    return "0x"
        + (mantissa >>> MANTISSA_BITS)
        + (digits.length() > 0 || point ? "." : "")
        + digits
        + (exponent < 0 ? "p" : "p+")
        + exponent;
  }
}

package dev.streamfence.internal.ptx.run.instruction;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One directive of a format, such as {@code %-8.3f}. Immutable.
 *
 * @param flags some of {@code -+ #0}
 * @param width the least number of characters; 0 for none
 * @param precision {@link #NO_PRECISION} if there is none
 * @param type the letter of the conversion
 */
record PrintfDirective(String flags, int width, int precision, char type) {
  /** Stands for a precision that is left out. */
  static final int NO_PRECISION = -1;

  /** Wider than any line that a reader wants, and small enough for memory. */
  private static final int WIDEST = 1 << 16;

  /** The conversions that CUDA documents, with the sizes that C knows. */
  static final Pattern SYNTAX =
      Pattern.compile(
          "%(?:(%)|([-+ #0]*)(\\*|\\d*)(?:\\.(\\*|\\d*))?(hh|h|ll|l|j|z|t|L)?([diouxXcsfFeEgGaAp]))");

  /** Tells how many arguments a directive takes. */
  static int arguments(MatchResult directive) {
    return 1 + ("*".equals(directive.group(3)) ? 1 : 0) + ("*".equals(directive.group(4)) ? 1 : 0);
  }

  /** Reads a directive, and takes its width and precision from the arguments if it says so. */
  static PrintfDirective of(MatchResult directive, PrintfArguments arguments) {
    String flags = directive.group(2);
    int width =
        "*".equals(directive.group(3)) ? (int) arguments.next(4) : number(directive.group(3));
    if (width < 0) {
      flags += "-";
      width = width == Integer.MIN_VALUE ? WIDEST : -width;
    }
    String precision = directive.group(4);
    int digits = NO_PRECISION;
    if (precision != null) {
      digits = precision.equals("*") ? (int) arguments.next(4) : number(precision);
    }
    return new PrintfDirective(
        flags,
        Math.min(width, WIDEST),
        digits < 0 ? NO_PRECISION : Math.min(digits, WIDEST),
        directive.group(6).charAt(0));
  }

  private static int number(String digits) {
    // A number of more digits is larger than the widest, too.
    return digits.isEmpty()
        ? 0
        : Integer.parseInt(digits.substring(0, Math.min(9, digits.length())));
  }

  boolean has(char flag) {
    return flags.indexOf(flag) >= 0;
  }

  boolean hasPrecision() {
    return precision != NO_PRECISION;
  }

  /** Tells whether the letter asks for capitals. */
  boolean isUpperCase() {
    return Character.isUpperCase(type);
  }

  /** Returns the sign of a signed number, as the flags ask for. */
  String sign(boolean negative) {
    if (negative) {
      return "-";
    }
    return has('+') ? "+" : has(' ') ? " " : "";
  }

  /**
   * Fills a number up to the width.
   *
   * @param prefix its sign, and the mark of its base
   * @param zeros whether the flag for zeros holds for it
   */
  String pad(String prefix, String digits, boolean zeros) {
    int missing = width - prefix.length() - digits.length();
    if (missing <= 0) {
      return prefix + digits;
    }
    if (has('-')) {
      return prefix + digits + " ".repeat(missing);
    }
    return zeros && has('0')
        ? prefix + "0".repeat(missing) + digits
        : " ".repeat(missing) + prefix + digits;
  }
}

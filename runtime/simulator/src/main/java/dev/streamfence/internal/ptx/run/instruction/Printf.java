package dev.streamfence.internal.ptx.run.instruction;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.internal.ptx.run.machine.Lane;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;

/**
 * The {@code printf} of a kernel, which compilers turn into calls of {@code vprintf}. Stateless.
 *
 * <p>Source: CUDA C++ Programming Guide, "Formatted Output". The text is that of the C library on
 * Linux, which formats the output of a GPU.
 */
final class Printf {
  /** The size of CUDA's output buffer unless a program sets another one. */
  private static final int MOST_BYTES = 1 << 20;

  private static final int NULL_FORMAT = -1;

  private Printf() {}

  /**
   * Prints a text, in one piece.
   *
   * @param format a generic address
   * @param buffer the generic address of the arguments; 0 if there are none
   * @return what CUDA returns: the number of arguments that were printed, or -1 without a format
   */
  static int print(Lane lane, long format, long buffer) {
    if (format == 0) {
      return NULL_FORMAT;
    }
    PrintfArguments arguments = new PrintfArguments(lane, buffer);
    Matcher directives = PrintfDirective.SYNTAX.matcher(LaneText.read(lane, format, MOST_BYTES));
    StringBuilder text = new StringBuilder();
    while (directives.find()) {
      directives.appendReplacement(text, "");
      text.append(convert(directives.toMatchResult(), arguments));
    }
    directives.appendTail(text);
    // Each character is a byte so far.
    lane.block.print(new String(text.toString().getBytes(ISO_8859_1), UTF_8));
    return arguments.taken();
  }

  private static String convert(MatchResult directive, PrintfArguments arguments) {
    if (directive.group(1) != null) {
      return "%";
    }
    if (!arguments.have(PrintfDirective.arguments(directive))) {
      return directive.group();
    }
    PrintfDirective how = PrintfDirective.of(directive, arguments);
    String size = directive.group(5) == null ? "" : directive.group(5);
    return switch (how.type()) {
      case 'd', 'i' -> signed(how, integer(arguments, size, true));
      case 'u', 'o', 'x', 'X' -> unsigned(how, integer(arguments, size, false));
      case 'c' -> how.pad("", String.valueOf((char) (arguments.next(4) & 0xFF)), false);
      case 's' -> string(how, arguments);
      case 'p' -> pointer(how, arguments.next(8));
      default -> PrintfFloat.format(how, Double.longBitsToDouble(arguments.next(8)));
    };
  }

  private static long integer(PrintfArguments arguments, String size, boolean signed) {
    return switch (size) {
      case "hh" -> {
        byte value = (byte) arguments.next(4);
        yield signed ? value : value & 0xFF;
      }
      case "h" -> {
        short value = (short) arguments.next(4);
        yield signed ? value : value & 0xFFFF;
      }
      case "" -> {
        int value = (int) arguments.next(4);
        yield signed ? value : Integer.toUnsignedLong(value);
      }
      default -> arguments.next(8);
    };
  }

  private static String signed(PrintfDirective how, long value) {
    // The smallest number has no positive counterpart, but the right digits as an unsigned one.
    String digits = Long.toUnsignedString(value < 0 ? -value : value);
    return how.pad(how.sign(value < 0), atLeast(how, digits, value), !how.hasPrecision());
  }

  private static String unsigned(PrintfDirective how, long value) {
    String prefix = "";
    String digits;
    switch (how.type()) {
      case 'u' -> digits = atLeast(how, Long.toUnsignedString(value), value);
      case 'o' -> {
        digits = atLeast(how, Long.toOctalString(value), value);
        if (how.has('#') && !digits.startsWith("0")) {
          digits = "0" + digits;
        }
      }
      default -> {
        digits = atLeast(how, Long.toHexString(value), value);
        prefix = how.has('#') && value != 0 ? "0x" : "";
        if (how.isUpperCase()) {
          digits = digits.toUpperCase(Locale.ROOT);
          prefix = prefix.toUpperCase(Locale.ROOT);
        }
      }
    }
    return how.pad(prefix, digits, !how.hasPrecision());
  }

  /** Adds zeros up to the precision; with a precision of 0, the number 0 has no digits. */
  private static String atLeast(PrintfDirective how, String digits, long value) {
    if (how.precision() == 0 && value == 0) {
      return "";
    }
    return "0".repeat(Math.max(0, how.precision() - digits.length())) + digits;
  }

  private static String string(PrintfDirective how, PrintfArguments arguments) {
    long address = arguments.next(8);
    int most = how.hasPrecision() ? how.precision() : MOST_BYTES;
    String text = address == 0 ? "(null)" : arguments.text(address, most);
    return how.pad("", text.substring(0, Math.min(most, text.length())), false);
  }

  private static String pointer(PrintfDirective how, long address) {
    return address == 0
        ? how.pad("", "(nil)", false)
        : how.pad("0x", atLeast(how, Long.toHexString(address), address), !how.hasPrecision());
  }
}

package dev.streamfence.processor.generate;

import java.util.Locale;

/**
 * Java literals of any string. Avoids {@code Elements.getConstantExpression}: Eclipse's compiler
 * escapes nothing there, and text from an annotation could become code. Immutable.
 */
final class StringLiteral {
  private StringLiteral() {}

  /** A literal in quotes, in printable ASCII, that means exactly {@code text}. */
  static String of(String text) {
    StringBuilder literal = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      append(text.charAt(i), literal);
    }
    return literal.append('"').toString();
  }

  private static void append(char character, StringBuilder literal) {
    switch (character) {
      case '"' -> literal.append("\\\"");
      // An octal escape, because a second backslash could begin a Unicode escape.
      case '\\' -> literal.append("\\134");
      case '\n' -> literal.append("\\n");
      case '\r' -> literal.append("\\r");
      default -> {
        if (character >= ' ' && character <= '~') {
          literal.append(character);
        } else {
          literal.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
        }
      }
    }
  }
}

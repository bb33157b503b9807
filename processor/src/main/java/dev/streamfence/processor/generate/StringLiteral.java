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
    StringBuilder literal = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      literal.append(escape(text.charAt(i)));
    }
    return literal.append('"').toString();
  }

  private static String escape(char character) {
    return switch (character) {
      case '"' -> "\\\"";
      // An octal escape, because a second backslash could begin a Unicode escape.
      case '\\' -> "\\134";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      default ->
          character >= ' ' && character <= '~'
              ? String.valueOf(character)
              : String.format(Locale.ROOT, "\\u%04x", (int) character);
    };
  }
}

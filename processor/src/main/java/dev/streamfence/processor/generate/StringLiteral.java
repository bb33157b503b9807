package dev.streamfence.processor.generate;

import java.util.Locale;

/**
 * Java literals of any string. Not {@code Elements.getConstantExpression}, which Eclipse's compiler
 * implements without escaping anything, so that text from an annotation could become code.
 * Immutable.
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
      // As an octal escape, since a second backslash could begin what reads as a Unicode escape.
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

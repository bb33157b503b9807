package dev.streamfence.processor.verify;

/**
 * What of a CUDA source is no code: comments, and texts and characters between quotes. Used once,
 * by one thread.
 */
final class CudaNoise {
  /** The most characters of a number before one of its separators. */
  private static final int MAX_DIGITS = 80;

  private final String text;
  private final StringBuilder code;

  /** The end of the line in which a text did not end; no text that begins before it ends. */
  private int withoutText;

  /** The same for characters. */
  private int withoutCharacter;

  private boolean hasCommentEnd = true;

  private CudaNoise(String text) {
    this.text = text;
    this.code = new StringBuilder(text.length());
  }

  /**
   * A source with a space for each comment and an empty text for each text or character. What does
   * not end is left as it is. Takes time in proportion to the source, whatever it is: a regular
   * expression takes a stack frame for each character, or repeats its search.
   */
  static String removedFrom(String text) {
    return new CudaNoise(text).remove();
  }

  private String remove() {
    int at = 0;
    while (at < text.length()) {
      int end = at;
      switch (text.charAt(at)) {
        case '/' -> end = endOfComment(at);
        case '"' -> {
          if (at >= withoutText) {
            end = endOfText(at);
            withoutText = end == at ? endOfLine(at) : withoutText;
          }
        }
        case '\'' -> {
          if (at >= withoutCharacter && !isInNumber(at)) {
            end = endOfText(at);
            withoutCharacter = end == at ? endOfLine(at) : withoutCharacter;
          }
        }
        default -> {}
      }
      if (end == at) {
        code.append(text.charAt(at++));
      } else {
        code.append(text.charAt(at) == '/' ? " " : "\"\"");
        at = end;
      }
    }
    return code.toString();
  }

  /** Whether a quote separates the digits of a number, as in {@code 1'000}. */
  private boolean isInNumber(int quote) {
    int start = quote;
    while (start > 0 && quote - start < MAX_DIGITS && isInWord(text.charAt(start - 1))) {
      start--;
    }
    char first = text.charAt(start);
    return start < quote && (Character.isDigit(first) || first == '.');
  }

  private static boolean isInWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '\'' || c == '.';
  }

  /** Where a comment ends that begins here; here if none does. */
  private int endOfComment(int at) {
    if (text.startsWith("//", at)) {
      return endOfLine(at);
    }
    if (!hasCommentEnd || !text.startsWith("/*", at)) {
      return at;
    }
    int end = text.indexOf("*/", at + 2);
    hasCommentEnd = end >= 0;
    return end < 0 ? at : end + 2;
  }

  /** Where what begins with this quote ends in its line; here if it does not. */
  private int endOfText(int at) {
    for (int i = at + 1; i < text.length() && text.charAt(i) != '\n'; i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == text.charAt(at)) {
        return i + 1;
      }
    }
    return at;
  }

  private int endOfLine(int at) {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }
}

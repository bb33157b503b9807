package dev.streamfence.internal.ptx.syntax;

import org.jspecify.annotations.Nullable;

/**
 * Splits PTX text into tokens, one at a time: it holds the current token and reads the next one on
 * demand. Confined to one thread.
 */
public final class Lexer {
  /** The kind of a token. */
  enum TokenKind {
    /** An identifier, an opcode or a register name. */
    WORD,
    /** A word written after a dot; the text leaves the dot out. */
    DOTTED,
    NUMBER,
    /** A quoted text; the text excludes the quotes. */
    STRING,
    /** One character that stands for itself. */
    PUNCTUATION,
    END
  }

  /** How many recent words are kept for sharing; enough for some hundred lines. */
  private static final int KNOWN_WORDS = 1 << 11;

  private static final String MARKS = "{}()[]<>,;:=+-*/|@!~&^?";

  private static final String[] MARK_TEXTS = MARKS.split("");

  private final String source;
  private final @Nullable String[] known = new @Nullable String[KNOWN_WORDS];
  private int position;
  private int currentLine = 1;
  private TokenKind kind = TokenKind.END;
  private String text = "";
  private int line = 1;

  Lexer(String source) {
    this.source = source;
    advance();
  }

  TokenKind kind() {
    return kind;
  }

  String text() {
    return text;
  }

  /** Returns the line on which the current token starts. */
  int line() {
    return line;
  }

  boolean is(TokenKind expected) {
    return kind == expected;
  }

  boolean is(char punctuation) {
    return kind == TokenKind.PUNCTUATION && text.charAt(0) == punctuation;
  }

  boolean isDotted(String word) {
    return kind == TokenKind.DOTTED && text.equals(word);
  }

  /** Skips the punctuation if it is the current token; returns whether it was. */
  boolean accept(char punctuation) {
    if (is(punctuation)) {
      advance();
      return true;
    }
    return false;
  }

  void expect(char punctuation) {
    if (!accept(punctuation)) {
      throw unexpected("'" + punctuation + "'");
    }
  }

  /** Returns the text of the current token, which must be of this kind, and skips it. */
  String take(TokenKind expected, String what) {
    if (kind != expected) {
      throw unexpected(what);
    }
    String taken = text;
    advance();
    return taken;
  }

  PtxException unexpected(String wanted) {
    String found =
        switch (kind) {
          case END -> "the end of the text";
          case DOTTED -> "'." + shortened(text) + "'";
          case STRING -> "a string";
          default -> "'" + shortened(text) + "'";
        };
    return new PtxException(line, "expected " + wanted + ", found " + found);
  }

  PtxException error(String fact) {
    return new PtxException(line, fact);
  }

  public static String shortened(String text) {
    return text.length() <= 60 ? text : text.substring(0, 57) + "...";
  }

  void advance() {
    skipBlank();
    line = currentLine;
    if (position >= source.length()) {
      kind = TokenKind.END;
      text = "";
      return;
    }
    char c = source.charAt(position);
    if (isWordStart(c)) {
      word(TokenKind.WORD, position);
    } else if (c >= '0' && c <= '9') {
      number();
    } else if (c == '.' && position + 1 < source.length() && isDottedPart(position + 1)) {
      position++;
      word(TokenKind.DOTTED, position);
    } else if (c == '"') {
      string();
    } else if (MARKS.indexOf(c) >= 0) {
      kind = TokenKind.PUNCTUATION;
      text = MARK_TEXTS[MARKS.indexOf(c)];
      position++;
    } else {
      throw new PtxException(currentLine, "unexpected character " + describe(c));
    }
  }

  private static String describe(char c) {
    return c > ' ' && c < 127 ? "'" + c + "'" : String.format("U+%04X", (int) c);
  }

  private boolean isDottedPart(int index) {
    char c = source.charAt(index);
    return isWordStart(c) || (c >= '0' && c <= '9');
  }

  private static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
  }

  private void word(TokenKind found, int start) {
    int end = start;
    int hash = 0;
    int length = source.length();
    while (end < length) {
      char c = source.charAt(end);
      if (isWordStart(c) || (c >= '0' && c <= '9')) {
        hash = 31 * hash + c;
        end++;
      } else if (found == TokenKind.DOTTED
          && source.startsWith("::", end)
          && end + 2 < length
          && isDottedPart(end + 2)) {
        end += 2;
      } else {
        break;
      }
    }
    kind = found;
    text = text(start, end, hash);
    position = end;
  }

  /** Returns a piece of the source; equal pieces share one string if the earlier one is recent. */
  private String text(int start, int end, int hash) {
    int place = (hash ^ hash >>> 11 ^ hash >>> 22) & KNOWN_WORDS - 1;
    String earlier = known[place];
    if (earlier != null && earlier.length() == end - start && source.startsWith(earlier, start)) {
      return earlier;
    }
    String word = source.substring(start, end);
    known[place] = word;
    return word;
  }

  private void number() {
    int start = position;
    int end = start;
    int length = source.length();
    boolean decimal = true;
    while (end < length) {
      char c = source.charAt(end);
      boolean digit = c >= '0' && c <= '9';
      boolean fraction =
          c == '.'
              && decimal
              && end + 1 < length
              && Character.digit(source.charAt(end + 1), 10) >= 0;
      boolean exponentSign =
          (c == '-' || c == '+')
              && decimal
              && end > start
              && (source.charAt(end - 1) == 'e' || source.charAt(end - 1) == 'E');
      if (!digit && !fraction && !exponentSign && !isWordStart(c)) {
        break;
      }
      if (end == start + 1 && isWordStart(c) && c != 'e' && c != 'E') {
        decimal = false;
      }
      end++;
    }
    kind = TokenKind.NUMBER;
    text = source.substring(start, end);
    position = end;
  }

  private void string() {
    int start = position + 1;
    int end = start;
    while (true) {
      if (end >= source.length() || source.charAt(end) == '\n') {
        throw new PtxException(currentLine, "a string has no closing quote");
      }
      char c = source.charAt(end);
      if (c == '"') {
        break;
      }
      end += c == '\\' ? 2 : 1;
    }
    kind = TokenKind.STRING;
    text = source.substring(start, end);
    position = end + 1;
  }

  private void skipBlank() {
    int length = source.length();
    while (position < length) {
      char c = source.charAt(position);
      if (c == '\n') {
        currentLine++;
        position++;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        position++;
      } else if (source.startsWith("//", position)) {
        int end = source.indexOf('\n', position);
        position = end < 0 ? length : end;
      } else if (source.startsWith("/*", position)) {
        skipBlockComment();
      } else {
        return;
      }
    }
  }

  private void skipBlockComment() {
    int end = source.indexOf("*/", position + 2);
    if (end < 0) {
      throw new PtxException(currentLine, "a comment is not closed");
    }
    for (int i = position; i < end; i++) {
      if (source.charAt(i) == '\n') {
        currentLine++;
      }
    }
    position = end + 2;
  }
}

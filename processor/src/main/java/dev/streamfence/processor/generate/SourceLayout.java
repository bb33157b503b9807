package dev.streamfence.processor.generate;

import java.util.List;

/**
 * Brings JavaPoet's text closer to the style of a formatter. Works on lines, which is safe because
 * no literal of a launcher spans two. Avoids regular expressions, which take longer than the rest
 * of the generation. Immutable.
 */
final class SourceLayout {
  static final int MAX_WIDTH = 100;
  private static final List<String> FIELD_MODIFIERS =
      List.of("private static final ", "private final ");
  private static final String OPEN = "/**";
  private static final String NEXT = "* ";
  private static final String CLOSE = "*/";

  private SourceLayout() {}

  /**
   * The same source without trailing blanks, with Javadoc on one line if it fits, and with fields
   * of a kind on lines that follow each other.
   */
  static String tidy(String source) {
    String[] lines = source.split("\n", -1);
    StringBuilder tidied = new StringBuilder(source.length());
    String kind = "";
    for (int i = 0; i < lines.length; i++) {
      if (i > 0
          && i + 1 < lines.length
          && lines[i].isEmpty()
          && lines[i - 1].endsWith(";")
          && !kind.isEmpty()
          && kind.equals(kindOfField(lines[i + 1]))) {
        continue;
      }
      String newKind = kindOfField(lines[i]);
      kind = newKind.isEmpty() ? kind : newKind;
      tidied.append(i == 0 ? "" : "\n");
      if (i + 2 < lines.length && isShortJavadoc(lines[i], lines[i + 1], lines[i + 2])) {
        String indent = lines[i].substring(0, lines[i].length() - OPEN.length());
        tidied.append(indent).append(OPEN).append(' ').append(text(lines[i + 1])).append(" */");
        i += 2;
      } else {
        tidied.append(lines[i].stripTrailing());
      }
    }
    return tidied.toString();
  }

  /** The modifiers of a field that is declared there; empty for every other line. */
  private static String kindOfField(String line) {
    String text = line.strip();
    for (String modifiers : FIELD_MODIFIERS) {
      if (text.startsWith(modifiers)) {
        return modifiers;
      }
    }
    return "";
  }

  private static boolean isShortJavadoc(String open, String text, String close) {
    return open.endsWith(OPEN)
        && open.strip().equals(OPEN)
        && text.strip().startsWith(NEXT)
        && close.strip().equals(CLOSE)
        && open.length() + 1 + text(text).length() + 3 <= MAX_WIDTH;
  }

  private static String text(String line) {
    return line.strip().substring(NEXT.length());
  }
}

package dev.streamfence.processor.generate;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Brings JavaPoet's text closer to what a formatter would leave. Works on lines, which is safe
 * because no literal of a launcher spans two. Immutable.
 */
final class SourceLayout {
  private static final int MAX_WIDTH = 100;
  private static final Pattern TRAILING_BLANKS = Pattern.compile("[ \t]+$", Pattern.MULTILINE);
  private static final Pattern SHORT_JAVADOC =
      Pattern.compile("^( *)/\\*\\*\n *\\* (.*)\n *\\*/$", Pattern.MULTILINE);

  private SourceLayout() {}

  /** The same source without trailing blanks and with Javadoc on one line where it fits. */
  static String tidy(String source) {
    Matcher javadoc = SHORT_JAVADOC.matcher(source);
    String joined =
        javadoc.replaceAll(
            match -> {
              String line = match.group(1) + "/** " + match.group(2) + " */";
              return Matcher.quoteReplacement(line.length() <= MAX_WIDTH ? line : match.group());
            });
    return TRAILING_BLANKS.matcher(joined).replaceAll("");
  }
}

package dev.streamfence.processor.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernels that the text of a CUDA source defines for certain: outside of comments, macros,
 * templates and conditional parts. Immutable.
 */
final class CudaText {
  private static final Pattern MARK = Pattern.compile("\\b__global__\\b");
  private static final Pattern NAME = Pattern.compile("\\b([A-Za-z_]\\w*)\\s*\\(");
  private static final Pattern NOISE =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\n]*|\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'");
  private static final Pattern DIRECTIVE = Pattern.compile("(?m)^[ \t]*#[ \t]*(\\w*)[^\n]*");
  private static final Pattern OPENS = Pattern.compile("if|ifdef|ifndef");
  private static final Pattern PLAIN_PARAMETER = Pattern.compile("[\\w\\s*&:<>]+");
  private static final Pattern HIDDEN =
      Pattern.compile("\\btemplate\\b|\\bstatic\\b|\\bnamespace\\s*\\{");

  /** The parameters are not certain. */
  static final int UNCERTAIN = -1;

  /**
   * A kernel.
   *
   * @param parameters how many it takes, or {@link #UNCERTAIN}
   */
  record DefinedKernel(String name, int parameters) {}

  private final List<DefinedKernel> kernels = new ArrayList<>();
  private final String code;
  private final boolean isPlain;
  private final boolean hasIncludes;

  CudaText(String text) {
    String joined = text.replace("\r\n", "\n").replace("\\\n", " ");
    boolean isRaw = joined.contains("R\"");
    String clean = isRaw ? "" : withoutNoise(joined);
    List<String> directives = new ArrayList<>();
    code = withoutDirectives(clean, directives);
    hasIncludes = directives.contains("include");
    isPlain =
        !isRaw
            && !directives.contains("define")
            && directives.stream().noneMatch(word -> OPENS.matcher(word).matches())
            && !joined.contains("include \"")
            && !HIDDEN.matcher(code).find();
    find();
  }

  /** The kernels, in order; some may have the same name. */
  List<DefinedKernel> kernels() {
    return List.copyOf(kernels);
  }

  /** Whether it defines no kernel but those: it has no macros, templates and own headers. */
  boolean isPlain() {
    return isPlain;
  }

  boolean hasIncludes() {
    return hasIncludes;
  }

  /** Whether a word occurs in its code. */
  boolean has(String word) {
    return Pattern.compile("\\b" + Pattern.quote(word) + "\\b").matcher(code).find();
  }

  private static String withoutNoise(String text) {
    return NOISE.matcher(text).replaceAll(found -> found.group().startsWith("/") ? " " : "\"\"");
  }

  /** Removes directives, and all that lies between conditional ones. */
  private static String withoutDirectives(String text, List<String> directives) {
    StringBuilder code = new StringBuilder();
    Matcher directive = DIRECTIVE.matcher(text);
    int depth = 0;
    int from = 0;
    while (directive.find()) {
      if (depth == 0) {
        code.append(text, from, directive.start());
      }
      String word = directive.group(1);
      directives.add(word);
      depth += OPENS.matcher(word).matches() ? 1 : word.equals("endif") ? -1 : 0;
      from = directive.end();
    }
    return depth == 0 ? code.append(text.substring(from)).toString() : "";
  }

  private void find() {
    Matcher mark = MARK.matcher(code);
    while (mark.find()) {
      int start = mark.start();
      while (start > 0 && ";{}".indexOf(code.charAt(start - 1)) < 0) {
        start--;
      }
      boolean isTemplate = code.substring(start, mark.start()).contains("template");
      Matcher name = NAME.matcher(code);
      int at = mark.end();
      while (name.find(at)) {
        int close = closing(name.end());
        String between = code.substring(mark.end(), name.start());
        if (close < 0 || between.contains(";") || between.contains("{")) {
          break;
        }
        int next = close + 1;
        while (next < code.length() && Character.isWhitespace(code.charAt(next))) {
          next++;
        }
        if (next < code.length() && code.charAt(next) == '{') {
          if (!isTemplate && !name.group(1).startsWith("__")) {
            kernels.add(new DefinedKernel(name.group(1), count(code.substring(name.end(), close))));
          }
          break;
        }
        at = close;
      }
    }
  }

  /** The place of the parenthesis that closes one before {@code from}; -1 if there is none. */
  private int closing(int from) {
    int depth = 1;
    for (int i = from; i < code.length(); i++) {
      depth += code.charAt(i) == '(' ? 1 : code.charAt(i) == ')' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  private static int count(String parameters) {
    if (parameters.isBlank() || parameters.strip().equals("void")) {
      return 0;
    }
    List<String> each = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < parameters.length(); i++) {
      char c = parameters.charAt(i);
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c == ',' && depth == 0) {
        each.add(parameters.substring(from, i));
        from = i + 1;
      }
    }
    each.add(parameters.substring(from));
    return each.stream().allMatch(CudaText::isParameter) ? each.size() : UNCERTAIN;
  }

  /** Whether a text is one parameter for certain: a type and a name, without macros' arguments. */
  private static boolean isParameter(String text) {
    String plain = text.replaceAll("<[^<>]*>", " ").strip();
    return PLAIN_PARAMETER.matcher(plain).matches()
        && (plain.endsWith("*") || plain.split("[\\s*&]+").length > 1);
  }
}

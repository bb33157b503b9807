package dev.streamfence.processor.verify;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kernels that the text of a CUDA source defines for certain: outside of comments, macros,
 * templates and conditional parts. Reads any text in linear time. Confined to one thread.
 */
final class CudaText {
  private static final String MARK = "__global__";
  private static final Pattern DIRECTIVE = Pattern.compile("(?m)^[ \t]*#[ \t]*(\\w*)[^\n]*");
  private static final Pattern OPENS = Pattern.compile("if|ifdef|ifndef");
  private static final Pattern PLAIN_PARAMETER = Pattern.compile("[\\w\\s*&:<>]+");
  private static final Pattern MACRO = Pattern.compile("define[ \t]+(\\w+)");
  private static final Set<String> QUALIFIERS =
      Set.of(
          "const",
          "volatile",
          "struct",
          "class",
          "enum",
          "union",
          "typename",
          "__restrict__",
          "__restrict",
          "__grid_constant__");
  private static final Set<String> TYPES =
      Set.of(
          "signed", "unsigned", "short", "long", "int", "char", "bool", "float", "double", "void");
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
  private final Set<String> macros = new HashSet<>();
  private final boolean isPlain;
  private final boolean hasIncludes;

  /** The words of the code; null before the first question. */
  private @Nullable Set<String> words;

  CudaText(String text) {
    String joined = text.replace("\r\n", "\n").replace("\\\n", " ");
    boolean isRaw = joined.contains("R\"");
    String clean = isRaw ? "" : CudaNoise.removedFrom(joined);
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

  /** Whether a kernel has a name as macros have, by convention. */
  boolean hasMacroNames() {
    return kernels.stream().anyMatch(kernel -> isMacroName(kernel.name()));
  }

  /** Whether a name has no small letter: an option of the compiler may define it as a macro. */
  static boolean isMacroName(String name) {
    return name.chars().noneMatch(Character::isLowerCase);
  }

  boolean hasIncludes() {
    return hasIncludes;
  }

  /** Whether a word occurs in its code. */
  boolean has(String word) {
    if (words == null) {
      words = new HashSet<>();
      for (int at = 0; at < code.length(); at++) {
        int end = endOfWord(at);
        if (end > at) {
          words.add(code.substring(at, end));
          at = end;
        }
      }
    }
    return words.contains(word);
  }

  /** Removes directives, and all that lies between conditional ones. */
  private String withoutDirectives(String text, List<String> directives) {
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
      Matcher macro = MACRO.matcher(directive.group());
      if (macro.find()) {
        macros.add(macro.group(1));
      }
      depth += OPENS.matcher(word).matches() ? 1 : word.equals("endif") ? -1 : 0;
      from = directive.end();
    }
    return depth == 0 ? code.append(text.substring(from)).toString() : "";
  }

  private void find() {
    boolean isTemplate = false;
    int at = 0;
    while (at < code.length()) {
      int end = endOfWord(at);
      if (end == at) {
        isTemplate &= ";{}".indexOf(code.charAt(at)) < 0;
        at++;
      } else if (code.startsWith(MARK, at) && end == at + MARK.length()) {
        at = findAfterMark(end, isTemplate);
      } else {
        isTemplate |= code.startsWith("template", at);
        at = end;
      }
    }
  }

  /** Looks for the kernel that a mark belongs to; returns where to go on. */
  private int findAfterMark(int from, boolean isTemplate) {
    String name = "";
    int at = from;
    while (at < code.length() && ";{".indexOf(code.charAt(at)) < 0) {
      int end = endOfWord(at);
      if (end > at) {
        name = code.substring(at, end);
        if (name.equals(MARK)) {
          return at;
        }
        at = end;
      } else if (Character.isWhitespace(code.charAt(at))) {
        at++;
      } else if (code.charAt(at) == '(' && !name.isEmpty() && !Character.isDigit(name.charAt(0))) {
        int close = closing(at + 1);
        if (close == code.length() || code.charAt(close) != ')') {
          return close;
        }
        int next = endOfSpace(close + 1);
        if (next < code.length() && code.charAt(next) == '{') {
          if (!isTemplate && !name.startsWith("__")) {
            kernels.add(new DefinedKernel(name, count(code.substring(at + 1, close))));
          }
          return next;
        }
        name = "";
        at = close + 1;
      } else {
        name = "";
        at++;
      }
    }
    return at;
  }

  /**
   * The place of the parenthesis that closes one before {@code from}. Where there is none, the
   * place of what ends the search: the end of a statement, the next mark, or the end of the code.
   */
  private int closing(int from) {
    int depth = 1;
    for (int i = from; i < code.length(); i++) {
      char c = code.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 || c == ';' || (c == '_' && code.startsWith(MARK, i))) {
        return i;
      }
    }
    return code.length();
  }

  private int endOfWord(int start) {
    int end = start;
    while (end < code.length() && isInWord(code.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isInWord(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '$';
  }

  private int endOfSpace(int start) {
    int end = start;
    while (end < code.length() && Character.isWhitespace(code.charAt(end))) {
      end++;
    }
    return end;
  }

  private int count(String parameters) {
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
    return each.stream().allMatch(this::isParameter) ? each.size() : UNCERTAIN;
  }

  /** Whether a text is one parameter for certain: a type and a name, without macros. */
  private boolean isParameter(String text) {
    String plain = text.replaceAll("<[^<>]*>", " ").strip();
    if (!PLAIN_PARAMETER.matcher(plain).matches()) {
      return false;
    }
    List<String> words =
        Stream.of(plain.split("[\\s*&]+")).filter(word -> !QUALIFIERS.contains(word)).toList();
    long types = words.stream().filter(TYPES::contains).count();
    // A name of a type that is no keyword, and the parameter's; what is more may be a macro.
    long most = types > 0 ? 1 : 2;
    return words.stream().noneMatch(macros::contains)
        && words.size() - types <= most
        && (plain.endsWith("*") || types > 0 || words.size() > 1);
  }
}

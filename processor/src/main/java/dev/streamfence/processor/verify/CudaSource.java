package dev.streamfence.processor.verify;

import dev.streamfence.internal.ptx.check.MangledName;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA source beside a module's PTX, where most people keep it. It is only searched for the
 * names of kernels, to tell where they begin; the search runs once, when a message first needs it.
 * Confined to one thread at a time.
 */
public final class CudaSource {
  private static final String MARK = "__global__";

  /** The most characters between the start of a kernel's declaration and its name. */
  private static final int MAX_BETWEEN = 500;

  /** Stands for the line of a name that several kernels share. */
  private static final int SEVERAL = -1;

  private final String name;
  private final Set<String> kernels;
  private final Supplier<Optional<String>> text;
  private @Nullable Map<String, Integer> lines;

  /**
   * Creates a source.
   *
   * @param name the file's name
   * @param entries the entries of the PTX; the kernels of others are not found
   * @param text the file's text, up to the limit for reading; empty if there is no such file
   */
  public CudaSource(String name, Collection<String> entries, Supplier<Optional<String>> text) {
    this.name = name;
    this.kernels = entries.stream().map(CudaSource::kernel).collect(Collectors.toSet());
    this.text = text;
  }

  /**
   * Where the kernel of an entry begins, as {@code file:line}; empty if it is not found, or several
   * share its name.
   */
  Optional<String> place(String entry) {
    if (lines == null) {
      lines = text.get().map(source -> lines(source, kernels)).orElseGet(Map::of);
    }
    return Optional.ofNullable(lines.get(kernel(entry)))
        .filter(line -> line != SEVERAL)
        .map(line -> name + ":" + line);
  }

  private static String kernel(String entry) {
    return MangledName.function(entry).orElse(entry);
  }

  /** Finds the lines with the names of these kernels in one pass over the text. */
  private static Map<String, Integer> lines(String text, Set<String> kernels) {
    Map<String, Integer> lines = new HashMap<>();
    int line = 1;
    int counted = 0;
    int mark = text.indexOf(MARK);
    while (mark >= 0) {
      int at = mark + MARK.length();
      mark = text.indexOf(MARK, at);
      int end = Math.min(mark < 0 ? text.length() : mark, at + MAX_BETWEEN);
      while (at < end && ";{}".indexOf(text.charAt(at)) < 0) {
        int start = at;
        at = endOfWord(text, start);
        if (at == start) {
          at++;
        } else if (isCalled(text, at) && kernels.contains(text.substring(start, at))) {
          for (; counted < start; counted++) {
            line += text.charAt(counted) == '\n' ? 1 : 0;
          }
          lines.merge(text.substring(start, at), line, (one, other) -> SEVERAL);
        }
      }
    }
    return lines;
  }

  private static int endOfWord(String text, int start) {
    int end = start;
    while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isCalled(String text, int end) {
    int at = end;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() && text.charAt(at) == '(';
  }
}

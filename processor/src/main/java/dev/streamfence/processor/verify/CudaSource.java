package dev.streamfence.processor.verify;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.MangledName;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.processor.verify.CudaText.DefinedKernel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The CUDA source beside a module's PTX, where most people keep it. It is searched for the names of
 * kernels, to tell where they begin, once a message needs that, and compared with the PTX. Confined
 * to one thread at a time.
 */
public final class CudaSource {
  private static final String MARK = "__global__";

  /** The most characters between the start of a kernel's declaration and its name. */
  private static final int MAX_BETWEEN = 500;

  /** Stands for the line of a name that several kernels share. */
  private static final int SEVERAL = -1;

  private final String name;
  private final Set<String> kernels;
  private final Supplier<Optional<byte[]>> file;
  private @Nullable Map<String, Integer> lines;

  /**
   * Creates a source.
   *
   * @param name the file's name
   * @param entries the entries of the PTX; the kernels of others are not found
   * @param file its bytes, up to the limit for reading; empty if there is no such file
   */
  public CudaSource(String name, Collection<String> entries, Supplier<Optional<byte[]>> file) {
    this.name = name;
    this.file = file;
    this.kernels = entries.stream().map(CudaSource::kernel).collect(Collectors.toSet());
  }

  /**
   * Where the kernel of an entry begins, as {@code file:line}; empty if it is not found, or several
   * share its name.
   */
  Optional<String> place(String entry) {
    if (lines == null) {
      lines = text().map(source -> lines(source, kernels)).orElseGet(Map::of);
    }
    return Optional.ofNullable(lines.get(kernel(entry)))
        .filter(line -> line != SEVERAL)
        .map(line -> name + ":" + line);
  }

  private Optional<String> text() {
    return file.get().map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** The file's name. */
  String name() {
    return name;
  }

  /**
   * What shows that the PTX was made from another version of this source; empty if nothing does.
   *
   * @param recorded the hash of its source that the PTX states, or empty
   * @param parameters the number of parameters of each entry of the PTX
   * @param used the entries that an interface uses
   */
  Optional<String> difference(
      String recorded, Map<String, Integer> parameters, Collection<String> used) {
    Optional<byte[]> read = file.get().filter(bytes -> bytes.length <= CodeLimits.FILE_BYTES);
    if (read.isEmpty()) {
      return Optional.empty();
    }
    if (!recorded.isEmpty()) {
      return KernelImage.sha256(read.get()).equals(recorded)
          ? Optional.empty()
          : Optional.of("it was made from another version of that file");
    }
    CudaText text = new CudaText(new String(read.get(), StandardCharsets.UTF_8));
    Map<String, List<String>> entries = new HashMap<>();
    for (String entry : parameters.keySet()) {
      entries.computeIfAbsent(kernel(entry), name -> new ArrayList<>()).add(entry);
    }
    Map<String, List<DefinedKernel>> defined = new LinkedHashMap<>();
    for (DefinedKernel each : text.kernels()) {
      defined.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(each);
    }
    return Stream.of(
            takesOthers(defined, entries, parameters),
            isMissing(text, defined.keySet(), entries.keySet()),
            isGone(text, used.stream().filter(parameters::containsKey).toList()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> takesOthers(
      Map<String, List<DefinedKernel>> defined,
      Map<String, List<String>> entries,
      Map<String, Integer> parameters) {
    for (List<DefinedKernel> namesakes : defined.values()) {
      DefinedKernel kernel = namesakes.get(0);
      List<String> compiled = entries.getOrDefault(kernel.name(), List.of());
      if (namesakes.size() == 1
          && compiled.size() == 1
          && kernel.parameters() != CudaText.UNCERTAIN) {
        int inPtx = parameters.getOrDefault(compiled.get(0), kernel.parameters());
        if (inPtx != kernel.parameters()) {
          return Optional.of(
              kernel.name()
                  + " takes "
                  + kernel.parameters()
                  + " parameters there, and "
                  + inPtx
                  + " in the PTX");
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> isMissing(
      CudaText text, Set<String> defined, Set<String> compiled) {
    return text.isPlain()
        ? defined.stream()
            .filter(kernel -> !compiled.contains(kernel))
            .filter(kernel -> !CudaText.isMacroName(kernel))
            .findFirst()
            .map(kernel -> "the PTX has no kernel " + kernel)
        : Optional.empty();
  }

  private static Optional<String> isGone(CudaText text, List<String> entries) {
    return text.isPlain() && !text.hasMacroNames()
        ? entries.stream()
            // A header of the system may define kernels, under the names of C++.
            .filter(entry -> !text.hasIncludes() || !entry.startsWith("_Z"))
            .filter(entry -> !text.has(kernel(entry)))
            .sorted()
            .findFirst()
            .map(entry -> "that file has no kernel " + kernel(entry))
        : Optional.empty();
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
        at = endOfWord(text, start, end);
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

  /** Not beyond a limit: what is one long word is looked at once for each mark in it. */
  private static int endOfWord(String text, int start, int limit) {
    int end = start;
    while (end < limit && Character.isJavaIdentifierPart(text.charAt(end))) {
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

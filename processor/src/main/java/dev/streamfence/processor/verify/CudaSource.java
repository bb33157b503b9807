package dev.streamfence.processor.verify;

import dev.streamfence.ptx.MangledName;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The source that lies beside a module's PTX, where most people keep it. Only searched for the
 * names of kernels, to say where they begin. Immutable.
 *
 * @param name of the file
 * @param text of the file, or as much of it as is looked at
 */
public record CudaSource(String name, String text) {
  /** What may stand between the start of a kernel's declaration and its name, at most. */
  private static final int MAX_BETWEEN = 500;

  /** Where the kernel of an entry begins, as {@code file:line}; empty if several have its name. */
  Optional<String> place(String entry) {
    String kernel = MangledName.function(entry).orElse(entry);
    Matcher declaration =
        Pattern.compile(
                "__global__[^;{}]{0," + MAX_BETWEEN + "}?\\b(" + Pattern.quote(kernel) + ")\\s*\\(")
            .matcher(text);
    if (!declaration.find()) {
      return Optional.empty();
    }
    String place = name + ":" + (1 + newLines(declaration.start(1)));
    return declaration.find() ? Optional.empty() : Optional.of(place);
  }

  private long newLines(int end) {
    return text.substring(0, end).chars().filter(c -> c == '\n').count();
  }
}

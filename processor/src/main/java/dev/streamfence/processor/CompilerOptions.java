package dev.streamfence.processor;

import dev.streamfence.processor.compile.CudaCompiler;
import dev.streamfence.processor.compile.CudaCompiler.CompilerKind;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The options of the processor that name a CUDA compiler. Without them, no program is run.
 * Immutable.
 *
 * @param compiler the compiler; empty if none is named, or the options are wrong
 * @param mistake what is wrong with the options, or empty
 */
record CompilerOptions(Optional<CudaCompiler> compiler, String mistake) {
  private static final String PREFIX = "streamfence.";
  private static final String OF_COMPILER = ".options";
  private static final String SECONDS = PREFIX + "compile.seconds";
  private static final int DEFAULT_SECONDS = 300;
  private static final int MOST_SECONDS = 24 * 60 * 60;

  /** The names of the options. */
  static Set<String> names() {
    Set<String> names = new LinkedHashSet<>(Set.of(SECONDS));
    for (CompilerKind kind : CompilerKind.values()) {
      names.add(PREFIX + kind.word());
      names.add(PREFIX + kind.word() + OF_COMPILER);
    }
    return names;
  }

  static CompilerOptions of(Map<String, String> options) {
    List<CompilerKind> named =
        Arrays.stream(CompilerKind.values())
            .filter(kind -> options.containsKey(PREFIX + kind.word()))
            .toList();
    for (CompilerKind kind : CompilerKind.values()) {
      String more = PREFIX + kind.word() + OF_COMPILER;
      if (options.containsKey(more) && !named.contains(kind)) {
        return wrong("-A" + more + " has no effect without -A" + PREFIX + kind.word());
      }
    }
    if (named.isEmpty()) {
      return new CompilerOptions(Optional.empty(), "");
    }
    if (named.size() > 1) {
      return wrong("-Astreamfence.nvcc and -Astreamfence.clang are both given; give one of them");
    }
    CompilerKind kind = named.get(0);
    // An option without a value is present, with the value null.
    String program = text(options, PREFIX + kind.word());
    if (program.isBlank()) {
      return wrong("-A" + PREFIX + kind.word() + " names no program; give its name or its path");
    }
    Optional<Integer> seconds = seconds(options);
    if (seconds.isEmpty()) {
      return wrong(
          "-A"
              + SECONDS
              + " is not a number from 1 to "
              + MOST_SECONDS
              + "; give the seconds that"
              + " one source may take");
    }
    try {
      List<String> more = CudaCompiler.split(text(options, PREFIX + kind.word() + OF_COMPILER));
      return new CompilerOptions(
          Optional.of(new CudaCompiler(kind, program, more, seconds.get())), "");
    } catch (IllegalArgumentException e) {
      return wrong("in -A" + PREFIX + kind.word() + OF_COMPILER + ", " + e.getMessage());
    }
  }

  private static CompilerOptions wrong(String mistake) {
    return new CompilerOptions(Optional.empty(), mistake);
  }

  private static String text(Map<String, String> options, String name) {
    return Objects.requireNonNullElse(options.getOrDefault(name, ""), "");
  }

  private static Optional<Integer> seconds(Map<String, String> options) {
    if (!options.containsKey(SECONDS)) {
      return Optional.of(DEFAULT_SECONDS);
    }
    try {
      return Optional.of(Integer.parseInt(text(options, SECONDS)))
          .filter(seconds -> seconds >= 1 && seconds <= MOST_SECONDS);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}

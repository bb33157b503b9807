package dev.streamfence.processor.compile;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message of a CUDA compiler. Immutable.
 *
 * @param isError whether it is an error; otherwise it is a warning
 * @param text its place, if it has one, as {@code file:line}, and what it says
 */
public record CompilerMessage(boolean isError, String text) {
  /** The most errors of one run, and the most warnings. */
  private static final int MOST = 50;

  /** {@code vector.cu(12): error: …} of nvcc, {@code vector.cu:12:3: warning: …} of others. */
  private static final Pattern PLACED =
      Pattern.compile(
          "(.{1,1000}?)(?:\\((\\d+)\\)|:(\\d+):\\d+): (?:catastrophic |fatal )?(error|warning)"
              + "(?: #[-\\w]+)?: (.*)");

  /** {@code nvcc fatal : …}, {@code clang: error: …}, {@code ptxas error : …}. */
  private static final Pattern UNPLACED =
      Pattern.compile("[\\w.+-]{1,40}(?: |: )(fatal|error|warning) *: (.*)");

  /** Finds the messages in what a compiler wrote, each once. */
  static List<CompilerMessage> in(String output) {
    Set<CompilerMessage> messages = new LinkedHashSet<>();
    int[] count = new int[2];
    for (String line : output.lines().limit(100_000).toList()) {
      Optional<CompilerMessage> found = of(line);
      int kind = found.isPresent() && found.get().isError ? 1 : 0;
      if (found.isPresent() && count[kind] < MOST && messages.add(found.get())) {
        count[kind]++;
      }
    }
    return List.copyOf(messages);
  }

  private static Optional<CompilerMessage> of(String line) {
    Matcher placed = PLACED.matcher(line);
    if (placed.matches()) {
      String number = placed.group(2) == null ? placed.group(3) : placed.group(2);
      return Optional.of(
          new CompilerMessage(
              placed.group(4).equals("error"),
              placed.group(1) + ":" + number + ": " + placed.group(5)));
    }
    Matcher unplaced = UNPLACED.matcher(line);
    return unplaced.matches()
        ? Optional.of(new CompilerMessage(!unplaced.group(1).equals("warning"), unplaced.group(2)))
        : Optional.empty();
  }
}

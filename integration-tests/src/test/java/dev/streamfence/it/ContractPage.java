package dev.streamfence.it;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rows of {@code CONTRACT.md}. */
final class ContractPage {
  private static final Pattern ROW = Pattern.compile("\\|(.*)\\|(.*)\\|");
  private static final Pattern HEAD = Pattern.compile("\\| (promise|---) \\| (kept by|---) \\|");
  private static final Pattern SENTENCE = Pattern.compile("[A-Z`](?:(?!\\. ).)*\\.");
  private static final Pattern ID = Pattern.compile("\\b(?:[A-Z]{1,2}-\\d{1,3}|[OLFC]\\d{1,2})\\b");
  private static final Pattern TEST = Pattern.compile("`(\\w+)\\.(\\w+)`");
  private static final Pattern BUILD = Pattern.compile("the build `([\\w-]+)`");

  /** {@code keptBy} names the tests and builds as the page writes them. */
  record Promise(int line, String words, List<String> keptBy) {}

  private final List<Promise> promises = new ArrayList<>();

  ContractPage(String text) {
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      Matcher row = ROW.matcher(lines.get(i));
      if (row.matches() && !HEAD.matcher(lines.get(i)).matches()) {
        String keptBy = row.group(2).strip();
        promises.add(
            new Promise(
                i + 1,
                row.group(1).strip(),
                keptBy.isEmpty() ? List.of() : List.of(keptBy.split(", ", -1))));
      }
    }
  }

  List<Promise> promises() {
    return List.copyOf(promises);
  }

  /** In the order of the lines. */
  List<String> mistakes(TestSources sources) {
    List<String> mistakes = new ArrayList<>();
    Map<String, Integer> lines = new HashMap<>();
    for (Promise promise : promises) {
      String place = "line " + promise.line() + ": ";
      String same = promise.words().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
      Integer earlier = lines.putIfAbsent(same, promise.line());
      if (earlier != null) {
        mistakes.add(
            place + "a promise that stands in line " + earlier + " as well: " + promise.words());
      }
      wording(promise.words()).ifPresent(mistake -> mistakes.add(place + mistake));
      if (promise.keptBy().isEmpty()) {
        mistakes.add(place + "a promise without a test: " + promise.words());
      }
      for (String each : promise.keptBy()) {
        evidence(each, sources).ifPresent(mistake -> mistakes.add(place + mistake));
      }
    }
    return mistakes;
  }

  private static Optional<String> wording(String words) {
    Matcher id = ID.matcher(words);
    if (id.find()) {
      return Optional.of("an id in place of words: " + id.group());
    }
    return SENTENCE.matcher(words).matches()
        ? Optional.empty()
        : Optional.of("not one sentence: " + words);
  }

  private static Optional<String> evidence(String each, TestSources sources) {
    Matcher build = BUILD.matcher(each);
    if (build.matches()) {
      return sources.hasBuild(build.group(1))
          ? Optional.empty()
          : Optional.of("no build: " + build.group(1));
    }
    Matcher test = TEST.matcher(each);
    return test.matches()
        ? sources.mistakeOf(test.group(1), test.group(2))
        : Optional.of("neither a test nor a build: " + each);
  }
}

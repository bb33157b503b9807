package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A notation for the origins of values. Bars separate ways, and spaces separate the terms of a sum.
 * The letters p and q stand for buffers, x and y for undeclared parameters, n and m for numbers, i
 * and j for narrow numbers, s and l for variables. A sign before a letter tells how the sum
 * contains it: - once subtracted, ~ aligned, * scaled, / a part, ? in an unknown way. A literal is
 * the constant of the sum; without one, the sum may contain further numbers.
 */
public final class Sums {
  private static final Map<Character, Integer> ORIGINS =
      Map.of(
          'p', Origin.parameter(0, ParameterRole.BUFFER),
          'q', Origin.parameter(1, ParameterRole.BUFFER),
          'x', Origin.parameter(2, ParameterRole.EITHER),
          'y', Origin.parameter(3, ParameterRole.EITHER),
          'n', Origin.parameter(4, ParameterRole.NUMBER),
          'm', Origin.parameter(5, ParameterRole.NUMBER),
          'i', Origin.narrow(6),
          'j', Origin.narrow(7),
          's', Origin.object(0),
          'l', Origin.object(1));

  private static final Map<String, Multiple> MULTIPLES =
      Map.of(
          "", Multiple.ONE,
          "-", Multiple.MINUS_ONE,
          "~", Multiple.ALIGNED,
          "-~", Multiple.MINUS_ALIGNED,
          "*", Multiple.SCALED,
          "-*", Multiple.MINUS_SCALED,
          "/", Multiple.PART,
          "?", Multiple.TOP);

  private Sums() {}

  public static int origin(char letter) {
    return ORIGINS.get(letter);
  }

  public static Provenance of(String ways) {
    if (ways.equals("nothing")) {
      return Provenance.BOTTOM;
    }
    Provenance all = Provenance.BOTTOM;
    for (String way : ways.split(" \\| ")) {
      List<Derivation> both = new ArrayList<>(all.alternatives());
      both.add(one(way));
      all = new Provenance(both);
    }
    return all;
  }

  static Derivation one(String way) {
    Derivation sum = Derivation.NUMBER;
    boolean foreign = false;
    boolean loaded = false;
    long least = 0;
    int span = Derivation.UNBOUNDED;
    for (String term : way.split(" ")) {
      if (term.matches("-?\\d+(\\.\\.-?\\d+)?")) {
        String[] limits = term.split("\\.\\.");
        least = Long.parseLong(limits[0]);
        span = (int) (Long.parseLong(limits[limits.length - 1]) - least);
      } else if (term.equals("foreign")) {
        foreign = true;
      } else if (term.equals("loaded")) {
        loaded = true;
      } else if (!term.equals("number")) {
        Multiple multiple = MULTIPLES.get(term.substring(0, term.length() - 1));
        sum = plus(sum, origin(term.charAt(term.length() - 1)), multiple);
      }
    }
    return sum.combine(Derivation.NUMBER, (origin, a, b) -> a, false, least, span)
        .withLoaded(loaded)
        .withForeign(foreign);
  }

  /** Returns a sum with one more term. */
  static Derivation plus(Derivation sum, int origin, Multiple multiple) {
    return sum.combine(
        Derivation.of(origin),
        (at, a, b) -> b == Multiple.NONE ? a : multiple,
        sum.isForeign(),
        sum.offset(),
        sum.span());
  }

  public static String text(Provenance value) {
    return value.isBottom()
        ? "nothing"
        : value.alternatives().stream().map(Sums::text).collect(Collectors.joining(" | "));
  }

  static String text(Derivation sum) {
    List<String> terms = new ArrayList<>();
    for (int i = 0; i < sum.size(); i++) {
      terms.add(sign(sum.multiple(i)) + letter(sum.origin(i)));
    }
    if (sum.isBounded()) {
      terms.add(sum.offset() + (sum.isFixed() ? "" : ".." + (sum.offset() + sum.span())));
    }
    if (sum.isForeign()) {
      terms.add("foreign");
    }
    if (sum.isLoaded()) {
      terms.add("loaded");
    }
    return terms.isEmpty() ? "number" : String.join(" ", terms);
  }

  public static String letters(Iterable<Integer> origins) {
    StringBuilder text = new StringBuilder();
    origins.forEach(origin -> text.append(letter(origin)));
    return text.toString();
  }

  private static char letter(int origin) {
    return key(ORIGINS, origin);
  }

  private static String sign(Multiple multiple) {
    return key(MULTIPLES, multiple);
  }

  private static <K, V> K key(Map<K, V> map, V value) {
    return map.entrySet().stream()
        .filter(entry -> entry.getValue().equals(value))
        .findAny()
        .orElseThrow()
        .getKey();
  }
}

package dev.streamfence.examples.queries;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares two answers of one shape. Confined to one thread. */
final class AnswerComparison {
  private static final double AVERAGES_DIFFER_BY = 1e-9;

  private final AnswerShape shape;
  private final List<List<@Nullable Object>> actual;
  private final List<List<@Nullable Object>> expected;

  AnswerComparison(QueryAnswer actual, QueryAnswer expected) {
    this.shape = actual.shape();
    this.actual = actual.rows();
    this.expected = expected.rows();
  }

  /** Where the answers differ, in words. */
  Optional<String> difference() {
    if (actual.size() != expected.size()) {
      return Optional.of(actual.size() + " rows instead of " + expected.size());
    }
    Comparator<List<? extends @Nullable Object>> order = shape.order();
    int first = 0;
    while (first < expected.size()) {
      int end = first;
      while (end < expected.size() && order.compare(expected.get(first), expected.get(end)) == 0) {
        if (order.compare(actual.get(end), expected.get(end)) != 0) {
          return Optional.of(rowDifference(end, actual.get(end), expected.get(end)));
        }
        end++;
      }
      Optional<String> difference = end == shape.limit() ? Optional.empty() : ties(first, end);
      if (difference.isPresent()) {
        return difference;
      }
      first = end;
    }
    return Optional.empty();
  }

  /** Pairs rows with equal sort keys; says how the first two differ that have no equal. */
  private Optional<String> ties(int first, int end) {
    List<List<@Nullable Object>> unmatched = new ArrayList<>(expected.subList(first, end));
    int firstWrong = -1;
    for (int row = first; row < end; row++) {
      List<@Nullable Object> values = actual.get(row);
      Optional<List<@Nullable Object>> equal =
          unmatched.stream().filter(other -> firstDifference(values, other) < 0).findFirst();
      if (equal.isPresent()) {
        unmatched.remove(equal.get());
      } else if (firstWrong < 0) {
        firstWrong = row;
      }
    }
    return firstWrong < 0
        ? Optional.empty()
        : Optional.of(rowDifference(firstWrong, actual.get(firstWrong), unmatched.get(0)));
  }

  private String rowDifference(
      int row, List<@Nullable Object> values, List<@Nullable Object> others) {
    int column = firstDifference(values, others);
    return "row %d, column %s: %s instead of %s"
        .formatted(row, shape.columns().get(column).name(), values.get(column), others.get(column));
  }

  /** The first column in which two rows differ, or -1. */
  private static int firstDifference(List<@Nullable Object> row, List<@Nullable Object> other) {
    for (int i = 0; i < row.size(); i++) {
      if (!areEqual(row.get(i), other.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean areEqual(@Nullable Object one, @Nullable Object other) {
    if (one instanceof Double average && other instanceof Double expected) {
      return Math.abs(average - expected) <= AVERAGES_DIFFER_BY * Math.abs(expected);
    }
    return one == null ? other == null : one.equals(other);
  }
}

package dev.streamfence.examples.queries;

import dev.streamfence.examples.operators.SortKey;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of an answer, its order, and how many rows it has at most. Immutable.
 *
 * @param columns in the order of the query's text
 * @param sortKeys the first one counts most; none if there is only one row
 * @param limit the most rows, {@link #NO_LIMIT} if the query sets none
 */
public record AnswerShape(List<AnswerColumn> columns, List<SortKey> sortKeys, int limit) {
  /** Of a query that returns all rows. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  /** Checks that the sort keys are columns of exact values: the last digits of averages differ. */
  public AnswerShape {
    columns = List.copyOf(columns);
    sortKeys = List.copyOf(sortKeys);
    for (SortKey key : sortKeys) {
      AnswerColumn column = columns.get(indexOf(columns, key.column()));
      if (column.kind() == ValueKind.AVERAGE) {
        throw new IllegalArgumentException(
            "the average " + column.name() + " cannot be a sort key");
      }
    }
  }

  /** An answer of these columns in any order. */
  static AnswerShape of(AnswerColumn... columns) {
    return new AnswerShape(List.of(columns), List.of(), NO_LIMIT);
  }

  /** The same columns, sorted. */
  AnswerShape sortedBy(SortKey... keys) {
    return new AnswerShape(columns, List.of(keys), limit);
  }

  /** The same columns and order with a limit. */
  AnswerShape limitedTo(int rows) {
    return new AnswerShape(columns, sortKeys, rows);
  }

  /** The order of rows. Rows with equal sort keys are equal to it. */
  public Comparator<List<? extends @Nullable Object>> order() {
    return this::compare;
  }

  private int compare(
      List<? extends @Nullable Object> one, List<? extends @Nullable Object> other) {
    for (SortKey key : sortKeys) {
      int index = indexOf(columns, key.column());
      int result = compare(key, one.get(index), other.get(index));
      if (result != 0) {
        return result;
      }
    }
    return 0;
  }

  private static int indexOf(List<AnswerColumn> columns, String name) {
    return IntStream.range(0, columns.size())
        .filter(i -> columns.get(i).name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no column " + name + " in " + columns));
  }

  private static int compare(SortKey key, @Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      int nullsLast = Boolean.compare(one == null, other == null);
      return key.areNullsFirst() ? -nullsLast : nullsLast;
    }
    @SuppressWarnings("unchecked") // The values of a column are of one type, see QueryAnswer.
    int result = ((Comparable<Object>) one).compareTo(other);
    return key.isDescending() ? -result : result;
  }
}

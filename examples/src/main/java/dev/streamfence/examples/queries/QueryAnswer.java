package dev.streamfence.examples.queries;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a query returns, in order. Compare answers with {@link #differenceFrom}: of rows
 * with equal sort keys, any may come first. Immutable.
 *
 * @param shape their columns and order
 * @param rows a value for each column, of the type of its kind, or null
 */
public record QueryAnswer(AnswerShape shape, List<List<@Nullable Object>> rows) {

  /** Checks the types of all values, the order and the limit. */
  public QueryAnswer {
    List<List<@Nullable Object>> copies = new ArrayList<>();
    for (List<@Nullable Object> row : rows) {
      requireTypes(shape, row);
      copies.add(Collections.unmodifiableList(new ArrayList<>(row)));
    }
    rows = Collections.unmodifiableList(copies);
    if (rows.size() > shape.limit()) {
      throw new IllegalArgumentException(rows.size() + " rows; the limit is " + shape.limit());
    }
    for (int i = 1; i < rows.size(); i++) {
      if (shape.order().compare(rows.get(i - 1), rows.get(i)) > 0) {
        throw new IllegalArgumentException(
            "row "
                + (i - 1)
                + " "
                + rows.get(i - 1)
                + " comes before row "
                + i
                + " "
                + rows.get(i));
      }
    }
  }

  private static void requireTypes(AnswerShape shape, List<@Nullable Object> row) {
    if (row.size() != shape.columns().size()) {
      throw new IllegalArgumentException(row + " for the columns " + shape.columns());
    }
    for (int i = 0; i < row.size(); i++) {
      Object value = row.get(i);
      AnswerColumn column = shape.columns().get(i);
      if (value != null && value.getClass() != column.kind().type()) {
        throw new IllegalArgumentException(
            column + " takes no " + value.getClass().getSimpleName() + ": " + value);
      }
    }
  }

  /** Sorts rows and keeps as many as the limit allows. */
  public static QueryAnswer sorted(AnswerShape shape, List<List<@Nullable Object>> rows) {
    List<List<@Nullable Object>> sorted = new ArrayList<>(rows);
    sorted.sort(shape.order());
    return new QueryAnswer(shape, sorted.subList(0, Math.min(sorted.size(), shape.limit())));
  }

  /**
   * Says in words where this answer differs from the expected one; empty if it does not. Averages
   * may differ by a billionth of their value. Where a limit has cut off rows, other rows can have
   * the same sort keys as the last row, so only the sort keys of such rows are compared.
   *
   * @throws IllegalArgumentException if the answers have different shapes
   */
  public Optional<String> differenceFrom(QueryAnswer expected) {
    if (!shape.equals(expected.shape)) {
      throw new IllegalArgumentException(shape + " cannot be compared with " + expected.shape);
    }
    return new AnswerComparison(this, expected).difference();
  }
}

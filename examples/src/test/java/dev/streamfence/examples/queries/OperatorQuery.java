package dev.streamfence.examples.queries;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.SortKey;
import java.util.Arrays;
import java.util.List;

/**
 * A query of one operator, to compare with DuckDB. Immutable.
 *
 * @param name what it shows
 * @param sql its text
 * @param shape the columns and the order of its answer
 * @param isSorted whether the operator gives that order, or any
 * @param operator computes the answer
 */
record OperatorQuery(
    String name, String sql, AnswerShape shape, boolean isSorted, Operator operator)
    implements Query {
  /** Calls an operator. */
  @FunctionalInterface
  interface Operator {
    /** Returns a table with the columns of the answer, which the caller closes. */
    DeviceTable of(DeviceStream stream, DeviceTables tables);
  }

  /**
   * A query whose rows are compared in any order. They are sorted by all columns but averages,
   * whose last digits differ.
   */
  static OperatorQuery of(String name, String sql, Operator operator, AnswerColumn... columns) {
    List<String> keys =
        Arrays.stream(columns)
            .filter(column -> column.kind() != ValueKind.AVERAGE)
            .map(AnswerColumn::name)
            .toList();
    AnswerShape shape =
        AnswerShape.of(columns)
            .sortedBy(keys.stream().map(SortKey::ascending).toArray(SortKey[]::new));
    return new OperatorQuery(
        name, sql + "\norder by " + String.join(", ", keys), shape, false, operator);
  }

  /** A query whose rows come in an order. */
  static OperatorQuery sorted(String name, String sql, AnswerShape shape, Operator operator) {
    return new OperatorQuery(name, sql, shape, true, operator);
  }

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    return operator.of(stream, tables);
  }

  @Override
  public QueryAnswer run(DeviceStream stream, DeviceTables tables) {
    if (isSorted) {
      return Query.super.run(stream, tables);
    }
    try (DeviceTable table = onDevice(stream, tables)) {
      return QueryAnswer.sorted(shape, AnswerRows.download(stream, table, shape));
    }
  }
}

package dev.streamfence.examples.queries;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.lang.reflect.Array;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Downloads the rows of an answer from a table on the device. */
final class AnswerRows {
  private AnswerRows() {}

  /**
   * The rows of a table that has a column for each column of the answer, under its name; waits for
   * the copies.
   */
  static List<List<@Nullable Object>> download(
      DeviceStream stream, DeviceTable table, AnswerShape shape) {
    Object[] columns = table.download(stream);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (AnswerColumn column : shape.columns()) {
      Object values = columns[table.schema().indexOf(column.name())];
      boolean[] hasValue = table.downloadValidity(stream, column.name());
      for (int row = 0; row < hasValue.length; row++) {
        if (row == rows.size()) {
          rows.add(new ArrayList<>());
        }
        rows.get(row).add(hasValue[row] ? value(column.kind(), Array.get(values, row)) : null);
      }
    }
    return rows;
  }

  private static Object value(ValueKind kind, Object element) {
    return switch (kind) {
      case INTEGER, DECIMAL -> ((Number) element).longValue();
      case AVERAGE -> ((Number) element).doubleValue();
      case DATE -> LocalDate.ofEpochDay(((Number) element).longValue());
      case TEXT -> element;
    };
  }
}

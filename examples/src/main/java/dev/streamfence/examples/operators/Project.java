package dev.streamfence.examples.operators;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Columns that are computed of a table's columns. */
public final class Project {
  private Project() {}

  /**
   * Returns a table of new columns. The types are those of expressions: {@code int64}, {@code
   * float64}, {@code date32}, {@code decimal(18, s)} and {@code bool8}; an expression that is a
   * column alone keeps its type, also text. Waits for the device if the host does not have the
   * number of rows, or for columns of text.
   *
   * @param columns the expression of each column by its name, in the order of the map
   * @throws IllegalArgumentException if an expression does not fit the table
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static DeviceTable of(
      DeviceStream stream, DeviceTable table, Map<String, Expression> columns) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      int rows = Rows.of(stream, table);
      List<DeviceColumn<?>> results = new ArrayList<>();
      columns.forEach(
          (name, expression) ->
              results.add(temporaries.add(column(stream, table, name, expression, rows))));
      return Columns.table(stream, results, rows, temporaries);
    }
  }

  private static DeviceColumn<?> column(
      DeviceStream stream, DeviceTable table, String name, Expression expression, int rows) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      if (expression instanceof Expression.Column column) {
        DeviceTable renamed = table.select(column.name()).rename(column.name(), name);
        DeviceColumn<?> copy =
            Gather.columns(stream, renamed, Rows.all(stream, rows, temporaries), temporaries)
                .get(0);
        return temporaries.handOver(copy);
      }
      Evaluation evaluation = new Evaluation(stream, table, temporaries);
      return Columns.of(stream, name, evaluation.of(expression), rows);
    }
  }
}

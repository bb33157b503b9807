package dev.streamfence.examples.operators;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;

/** The rows of a table that meet a condition. */
public final class Filter {
  private Filter() {}

  /**
   * Returns a table of the rows for which a condition is true, in order; not those for which it is
   * false or null. Waits for the device, for the number of rows.
   *
   * @throws IllegalArgumentException if the expression is no condition, or does not fit the table
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static DeviceTable of(DeviceStream stream, DeviceTable table, Expression condition) {
    return of(stream, table, condition, table);
  }

  /**
   * Returns the rows of some columns, like {@link #of(DeviceStream, DeviceTable, Expression)}.
   *
   * @param kept the columns of the result, such as {@code table.select("key")}
   * @throws IllegalArgumentException also if the two tables have different numbers of rows
   */
  public static DeviceTable of(
      DeviceStream stream, DeviceTable table, Expression condition, DeviceTable kept) {
    requireSameRows(Rows.of(stream, table), Rows.of(stream, kept));
    try (Temporaries temporaries = new Temporaries(stream)) {
      Rows rows;
      try (Temporaries values = new Temporaries(stream)) {
        Evaluation evaluation = new Evaluation(stream, table, values);
        rows = Rows.where(stream, evaluation.condition(condition), evaluation.rows(), temporaries);
      }
      return Gather.table(stream, kept, rows);
    }
  }

  private static void requireSameRows(int rows, int ofKept) {
    if (rows != ofKept) {
      throw new IllegalArgumentException(
          "a condition over "
              + rows
              + " rows, for a table of "
              + ofKept
              + "; keep columns of the same table");
    }
  }
}

package dev.streamfence.examples.operators;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import java.util.List;

/** The different rows of a table. */
public final class Distinct {
  private Distinct() {}

  /**
   * Returns a table with one of the rows of each key, whole and in order; which of them is
   * unspecified. Null equals null. Waits for the device.
   *
   * @param keys the columns of the key; all if none is given
   * @throws IllegalArgumentException if the table does not have a column, or has too many rows
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static DeviceTable of(DeviceStream stream, DeviceTable table, String... keys) {
    List<String> names =
        keys.length == 0
            ? table.columns().stream().map(ReadableColumn::name).toList()
            : List.of(keys);
    try (Temporaries temporaries = new Temporaries(stream)) {
      KeyColumns columns = KeyColumns.of(stream, table, names, temporaries);
      Groups groups = Groups.of(stream, columns, false, temporaries);
      return Gather.table(stream, table, groups.rows());
    }
  }
}

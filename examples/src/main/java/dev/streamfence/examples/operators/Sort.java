package dev.streamfence.examples.operators;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.util.List;

/** The rows of a table in order. */
public final class Sort {
  private Sort() {}

  /**
   * Returns a table with the rows in order, the first key most. Rows with equal keys stay in their
   * order. Waits for the device.
   *
   * @throws IllegalArgumentException if the table does not have a column of a key
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static DeviceTable of(DeviceStream stream, DeviceTable table, SortKey... keys) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      Rows all = Rows.all(stream, Rows.of(stream, table), temporaries);
      Rows sorted = new SortOrder(stream, table, List.of(keys), temporaries).sorted(all);
      return Gather.table(stream, table, sorted);
    }
  }
}

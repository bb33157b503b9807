package dev.streamfence.examples.spark;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.memory.RowRange;
import java.io.Serial;
import java.time.LocalDate;
import java.util.Arrays;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The sums of the line items that were shipped in time, by return flag and status. A count beside a
 * sum is that of its values, for the average. Immutable.
 *
 * @param until the last day
 */
record PriceGroups(LocalDate until) implements DeviceOperator {
  @Serial private static final long serialVersionUID = 1;
  private static final int GROUPS = 64;
  private static final int CELLS = 11;

  /** For each column after the key, which of the kernel's numbers it has, counted from 0. */
  private static final int[] CELL_OF_COLUMN = {0, 2, 4, 6, 8, 1, 3, 9, 10};

  /** The columns after the key that are sums, each with its count in the kernel's next number. */
  private static final int SUMS = 5;

  @Override
  public DeviceTable apply(DeviceStream stream, DeviceTable batch) {
    DeviceMemory memory = stream.runtime().memory();
    ReadableColumn<int[]> shipped = batch.readable("l_shipdate", int[].class);
    ReadableColumn<byte[]> flag = batch.readable("l_returnflag", byte[].class);
    ReadableColumn<byte[]> status = batch.readable("l_linestatus", byte[].class);
    ReadableColumn<long[]> quantity = batch.readable("l_quantity", long[].class);
    ReadableColumn<long[]> price = batch.readable("l_extendedprice", long[].class);
    ReadableColumn<long[]> discount = batch.readable("l_discount", long[].class);
    ReadableColumn<long[]> tax = batch.readable("l_tax", long[].class);
    int rows = Math.toIntExact(batch.rows(stream));
    try (DeviceArray<int[]> keys = memory.allocateZeroed(stream, int[].class, GROUPS + 1);
        DeviceArray<long[]> cells = memory.allocateZeroed(stream, long[].class, GROUPS * CELLS)) {
      PriceKernelsLauncher.on(stream)
          .priceGroups(
              shipped,
              shipped.validity(),
              Math.toIntExact(until.toEpochDay()),
              flag.offsets(),
              flag,
              flag.validity(),
              status.offsets(),
              status,
              status.validity(),
              quantity,
              quantity.validity(),
              price,
              price.validity(),
              discount,
              discount.validity(),
              tax,
              tax.validity(),
              keys,
              cells,
              GROUPS,
              rows);
      return table(stream, keys.download(stream), cells.download(stream));
    }
  }

  private static DeviceTable table(DeviceStream stream, int[] keys, long[] cells) {
    if (keys[GROUPS] != 0) {
      throw new IllegalStateException(
          "more than %d groups, or a flag that is not one letter".formatted(GROUPS));
    }
    int groups = (int) Arrays.stream(keys).takeWhile(key -> key != 0).count();
    OnHeapColumnVector[] columns =
        OnHeapColumnVector.allocateColumns(Math.max(groups, 1), PricingSummary.PARTS);
    for (int group = 0; group < groups; group++) {
      putLetter(columns[0], group, keys[group] >> 8);
      putLetter(columns[1], group, keys[group] & 255);
      for (int column = 0; column < CELL_OF_COLUMN.length; column++) {
        int cell = group * CELLS + CELL_OF_COLUMN[column];
        if (column < SUMS && cells[cell + 1] == 0) {
          columns[2 + column].putNull(group);
        } else {
          columns[2 + column].putLong(group, cells[cell]);
        }
      }
    }
    return BatchUpload.upload(
        stream, PricingSummary.PARTS, new ColumnarBatch(columns, groups), new RowRange(0, groups));
  }

  private static void putLetter(OnHeapColumnVector column, int row, int letter) {
    if (letter == 1) {
      column.putNull(row);
    } else {
      column.putByteArray(row, new byte[] {(byte) letter});
    }
  }
}

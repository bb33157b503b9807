package dev.streamfence.examples.spark;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;

/** Filters line items by date and sums them by return flag and status. Immutable. */
record PriceGroups(int until) implements DeviceOperator {
  @Serial private static final long serialVersionUID = 1;
  private static final int GROUPS = 64;
  private static final int CELLS = 11;
  private static final List<String> SUMS =
      List.of("quantity", "price", "discounted", "charge", "discount");

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
              until,
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
      throw new IllegalStateException("more than " + GROUPS + " groups, or no letters");
    }
    int groups = 0;
    while (groups < GROUPS && keys[groups] != 0) {
      groups++;
    }
    String[] flags = new String[groups];
    String[] statuses = new String[groups];
    List<ColumnField> fields = new ArrayList<>();
    fields.add(ColumnField.nullable("l_returnflag", ColumnType.UTF8));
    fields.add(ColumnField.nullable("l_linestatus", ColumnType.UTF8));
    List<Object> columns = new ArrayList<>(List.of(flags, statuses));
    for (int i = 0; i < groups; i++) {
      flags[i] = letter(keys[i] >> 8);
      statuses[i] = letter(keys[i] & 255);
    }
    for (int cell = 0; cell < CELLS; cell++) {
      long[] values = new long[groups];
      for (int i = 0; i < groups; i++) {
        values[i] = cells[i * CELLS + cell];
      }
      String name = cell == 10 ? "rows" : (cell % 2 == 0 ? "sum_" : "count_") + SUMS.get(cell / 2);
      fields.add(ColumnField.of(name, ColumnType.INT64));
      columns.add(values);
    }
    return DeviceTable.upload(stream, new Schema(fields), columns.toArray());
  }

  private static @org.jspecify.annotations.Nullable String letter(int key) {
    return key == 1 ? null : String.valueOf((char) key);
  }
}

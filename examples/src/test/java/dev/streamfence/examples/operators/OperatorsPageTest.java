package dev.streamfence.examples.operators;

import static dev.streamfence.examples.operators.Aggregate.count;
import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.decimal;
import static dev.streamfence.examples.operators.Expression.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The programs that OPERATORS.md shows. */
class OperatorsPageTest {
  @Test
  void salesAreFilteredGroupedAndSorted() {
    Schema schema =
        Schema.of(
            ColumnField.nullable("region", ColumnType.UTF8),
            ColumnField.of("price", ColumnType.decimal(15, 2)));
    String[] regions = {"north", "south", "north", null};
    long[] prices = {10_00, 25_00, 4_00, 7_00};
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTable sales = DeviceTable.upload(stream, schema, regions, prices);
        DeviceTable large = Filter.of(stream, sales, column("price").isAtLeast(decimal("5.00")));
        DeviceTable groups =
            GroupBy.of(
                stream, large, List.of("region"), count("sales"), sum("total", column("price")));
        DeviceTable sorted = Sort.of(stream, groups, SortKey.descending("total"))) {
      // south, north and null: 25.00, 10.00 and 7.00
      String[] names = sorted.download(stream, "region", String[].class);
      long[] totals = sorted.download(stream, "total", long[].class);

      assertThat(names).containsExactly("south", "north", null);
      assertThat(totals).containsExactly(25_00, 10_00, 7_00);
    }
  }

  @Test
  void tablesAreJoinedAndProjected() {
    Schema ofRegions =
        Schema.of(ColumnField.of("name", ColumnType.UTF8), ColumnField.of("tax", ColumnType.INT64));
    Schema ofSales =
        Schema.of(
            ColumnField.of("region", ColumnType.UTF8), ColumnField.of("price", ColumnType.INT64));
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTable regions =
            DeviceTable.upload(
                stream, ofRegions, new String[] {"north", "south"}, new long[] {10, 20});
        DeviceTable sales =
            DeviceTable.upload(
                stream, ofSales, new String[] {"south", "west", "south"}, new long[] {5, 6, 7})) {
      try (HashJoin byName = HashJoin.build(stream, regions, "name");
          DeviceTable pairs = byName.inner(stream, sales, "region");
          DeviceTable taxed =
              Project.of(
                  stream,
                  pairs,
                  Map.of("gross", column("price").times(number(100).plus(column("tax")))));
          DeviceTable withoutRegion = byName.anti(stream, sales, "region")) {
        assertThat(taxed.download(stream, "gross", long[].class)).containsExactly(600, 840);
        assertThat(withoutRegion.download(stream, "price", long[].class)).containsExactly(6);
      }
    }
  }
}

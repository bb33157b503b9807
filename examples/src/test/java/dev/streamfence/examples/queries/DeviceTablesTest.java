package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.tpch.FailingUploads;
import dev.streamfence.examples.tpch.HostTable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeviceTablesTest {
  private final HostTables host =
      TableGenerator.generate(DataOptions.atScale(0.001).withNulls(0.1), 1);

  @Test
  void everyColumnComesBackWithItsNulls() {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTables tables = DeviceTables.upload(stream, host)) {
      for (TpchTable table : TpchTable.values()) {
        DeviceTable rows = tables.table(table);
        Object[] columns = rows.download(stream);
        for (int i = 0; i < columns.length; i++) {
          assertSameColumn(
              host.table(table),
              i,
              columns[i],
              rows.downloadValidity(stream, rows.schema().field(i).name()));
        }
      }
      assertThat(tables.sizeInBytes()).isEqualTo(device.memory().statistics().liveBytes() - 8 * 4);
    }
  }

  private static void assertSameColumn(
      HostTable table, int column, Object downloaded, boolean[] hasValue) {
    ColumnField field = table.schema().field(column);
    assertThat(hasValue).as(field.name()).isEqualTo(valuesIn(table, column));
    if (downloaded instanceof String[] texts) {
      assertThat(texts).as(field.name()).isEqualTo(textsIn(table, column));
    } else {
      assertThat(downloaded).as(field.name()).isEqualTo(table.column(column));
    }
  }

  private static boolean[] valuesIn(HostTable table, int column) {
    boolean[] values = new boolean[table.rows()];
    for (int row = 0; row < values.length; row++) {
      values[row] = !table.isNull(column, row);
    }
    return values;
  }

  private static String[] textsIn(HostTable table, int column) {
    Texts texts = Texts.of(table, table.schema().field(column).name());
    return IntStream.range(0, table.rows()).mapToObj(texts::at).toArray(String[]::new);
  }

  @Test
  void whicheverDriverCallFailsNothingStaysAllocated() throws Exception {
    uploads().assertNothingStaysAfterAnyDriverCall();
  }

  @Test
  void afterAnErrorNothingStaysAllocated() throws Exception {
    uploads().assertNothingStaysAfterAnError();
  }

  private FailingUploads uploads() {
    return new FailingUploads(stream -> DeviceTables.upload(stream, host), 5);
  }
}

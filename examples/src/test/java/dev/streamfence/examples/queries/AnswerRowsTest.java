package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import java.time.LocalDate;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AnswerRowsTest {
  private static final AnswerShape SHAPE =
      AnswerShape.of(
          AnswerColumn.text("name"),
          AnswerColumn.integer("year"),
          AnswerColumn.decimal("sum", 2),
          AnswerColumn.average("mean"),
          AnswerColumn.date("day"));

  @Test
  void columnsAreFoundByNameAndNullsStayNulls() {
    Schema schema =
        Schema.of(
            ColumnField.of("day", ColumnType.DATE32),
            ColumnField.of("mean", ColumnType.FLOAT64),
            ColumnField.nullable("name", ColumnType.UTF8),
            ColumnField.of("sum", ColumnType.decimal(18, 2)),
            ColumnField.of("year", ColumnType.INT32));
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTable table =
            DeviceTable.upload(
                stream,
                schema,
                new int[] {0, 9000},
                new double[] {1.5, 2.5},
                new String[] {"Ada", null},
                new long[] {700, 800},
                new int[] {1815, 1852})) {
      assertThat(AnswerRows.download(stream, table, SHAPE))
          .containsExactly(
              Arrays.asList("Ada", 1815L, 700L, 1.5, LocalDate.EPOCH),
              Arrays.asList(null, 1852L, 800L, 2.5, LocalDate.ofEpochDay(9000)));
    }
  }
}

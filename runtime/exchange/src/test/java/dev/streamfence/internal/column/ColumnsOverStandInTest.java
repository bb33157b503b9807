package dev.streamfence.internal.column;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.device.AllocatedBytes;
import dev.streamfence.internal.driver.jcuda.StandIn;
import dev.streamfence.internal.launch.NullableKernels;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Columns through JCuda's real native library. */
final class ColumnsOverStandInTest {
  private final StandIn standIn = StandIn.loaded();
  private final List<Long> before = standIn.live();

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.live()).isEqualTo(before);
    assertThat(standIn.wrongContexts()).isZero();
  }

  @Test
  void launchesWithColumnsAllocateNothing() {
    Schema schema =
        Schema.of(ColumnField.of("a", ColumnType.INT64), ColumnField.of("b", ColumnType.INT64));
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire();
        DeviceTable table = DeviceTable.allocate(stream, schema, 1);
        DeviceColumn<long[]> sums =
            DeviceColumn.allocate(stream, schema.field(0), long[].class, 1)) {
      List<ReadableColumn<?>> columns = table.columns();
      NullableKernels kernels = NullableKernels.on(stream);
      Runnable launches =
          () -> {
            for (int i = 0; i < 2_000; i++) {
              kernels.sumRows(table, sums, 1);
              kernels.sumRows(columns, sums, 1);
            }
          };
      assertThat(AllocatedBytes.leastOfFiveRounds(launches)).isZero();
    }
  }
}

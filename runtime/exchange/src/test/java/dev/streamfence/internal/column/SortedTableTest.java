package dev.streamfence.internal.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The certificate that a table's rows are sorted and unique, and what ends it. */
final class SortedTableTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> keys = gpu.memory().upload(stream, new int[] {1, 2, 3});
  private final DeviceArray<byte[]> paid = gpu.memory().upload(stream, new byte[] {0b101});
  private DeviceTable table;

  @BeforeEach
  void certify() {
    ColumnField key = ColumnField.of("key", ColumnType.INT32);
    ColumnField cents = ColumnField.nullable("cents", ColumnType.INT64);
    table =
        DeviceTable.of(
            stream,
            Schema.of(key, cents),
            List.of(
                DeviceColumn.of(key, keys),
                DeviceColumn.of(cents, gpu.memory().upload(stream, new long[3]), paid)),
            3);
    assertThat(table.isSortedAndUnique()).isFalse();
    table.certifySortedAndUnique();
    assertThat(table.isSortedAndUnique()).isTrue();
  }

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void endsWith(Consumer<DeviceTable> write) {
    table.certifySortedAndUnique();
    assertThat(table.isSortedAndUnique()).isTrue();
    write.accept(table);
    assertThat(table.isSortedAndUnique()).isFalse();
  }

  @Test
  void readsLeaveIt() {
    long calls = device.calls();
    assertThat(table.isSortedAndUnique()).isTrue();
    assertThat(device.calls()).isEqualTo(calls);
    keys.download(stream);
    table.rows(stream);
    try (DeviceArray<int[]> sum = gpu.memory().allocate(stream, int[].class, 3)) {
      VectorKernels.on(stream).add(keys, keys, sum, 3);
    }
    assertThat(table.isSortedAndUnique()).isTrue();
  }

  @Test
  void itIsNotKnownWhileOtherCodeMayWriteAColumn() {
    ExportedTensor reading = DlPack.export(keys, TensorConsumer.onStream(-1).reading());
    assertThat(table.isSortedAndUnique()).isTrue();
    reading.close();
    for (DeviceArray<?> array : List.of(keys, paid)) {
      ExportedTensor writing = DlPack.export(array, TensorConsumer.onStream(-1));
      table.certifySortedAndUnique();
      assertThat(table.isSortedAndUnique()).isFalse();
      writing.close();
      assertThat(table.isSortedAndUnique()).isFalse();
      table.certifySortedAndUnique();
      assertThat(table.isSortedAndUnique()).isTrue();
    }
  }

  @Test
  void everyWriteOfAColumnEndsIt() {
    endsWith(sorted -> VectorKernels.on(stream).increment(keys, 3));
    endsWith(sorted -> sorted.column("cents", long[].class).values().fill(stream, 1));
    endsWith(sorted -> paid.fill(stream, -1));
    endsWith(sorted -> keys.upload(stream, new int[] {3, 2, 1}));
    endsWith(sorted -> keys.view(1, 1).fill(stream, 0));
  }

  @Test
  void aWriteOfAPartEndsItAlsoAfterTheJoin() {
    table.certifySortedAndUnique();
    try (DeviceParts<int[]> parts = keys.split(1)) {
      assertThat(table.isSortedAndUnique()).isTrue();
      parts.get(1).fill(stream, 0);
      assertThat(table.isSortedAndUnique()).isFalse();
    }
    assertThat(table.isSortedAndUnique()).isFalse();
  }

  @Test
  void everyWriteOfTheNumberOfRowsEndsIt() {
    endsWith(sorted -> sorted.setRows(stream, 2));
    endsWith(sorted -> sorted.rowCount().fill(stream, 3));
  }

  @Test
  void tablesMadeFromItHaveNone() {
    ColumnField flags = ColumnField.of("flags", ColumnType.INT32);
    try (DeviceColumn<int[]> more = DeviceColumn.allocate(stream, flags, int[].class, 3);
        DeviceTable slice = table.slice(stream, 0, 2)) {
      assertThat(slice.isSortedAndUnique()).isFalse();
      assertThat(table.select("cents").isSortedAndUnique()).isFalse();
      assertThat(table.rename("key", "id").isSortedAndUnique()).isFalse();
      assertThat(table.append(more).isSortedAndUnique()).isFalse();
      assertThat(table.isSortedAndUnique()).isTrue();
    }
  }

  @Test
  void aWriteThroughATableMadeFromItEndsIt() {
    DeviceTable renamed = table.rename("key", "id");
    renamed.certifySortedAndUnique();
    renamed.column("id", int[].class).values().fill(stream, 7);
    assertThat(renamed.isSortedAndUnique()).isFalse();
    assertThat(table.isSortedAndUnique()).isFalse();
  }

  @Test
  void aClosedTableIsRefused() {
    table.close();
    assertThatThrownBy(table::isSortedAndUnique).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(table::certifySortedAndUnique).isInstanceOf(UseAfterFreeException.class);
  }
}

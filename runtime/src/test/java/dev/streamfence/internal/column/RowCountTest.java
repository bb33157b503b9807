package dev.streamfence.internal.column;

import static dev.streamfence.column.ColumnType.INT32;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the host knows of the number of logical rows, and when it asks the device. */
final class RowCountTest {
  private static final Schema SCHEMA = Schema.of(ColumnField.of("x", INT32));

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceStream other = gpu.streams().acquire();
  private final DeviceTable table = DeviceTable.allocate(stream, SCHEMA, 10);

  @AfterEach
  void nothingIsLeft() {
    table.close();
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aNumberThatTheHostHasSetIsNotDownloaded() {
    table.setRows(stream, 7);
    assertThat(table.knownRows()).hasValue(7);
    assertThat(table.rows(other)).isEqualTo(7);
    assertThat(downloads()).isZero();
    assertThat(table.rowCount().download(other)).containsExactly(7);
  }

  @Test
  void aNumberThatAKernelHasWrittenIsDownloadedOnce() {
    table.setRows(stream, 7);
    VectorKernels.on(other).increment(table.rowCount(), 1);
    assertThat(table.knownRows()).isEmpty();
    assertThat(table.rows(stream)).isEqualTo(8);
    assertThat(downloads()).isEqualTo(1);
    assertThat(gpu.memory().statistics().downloadedBytes()).isEqualTo(4);
    assertThat(table.rows(other)).isEqualTo(8);
    assertThat(table.knownRows()).hasValue(8);
    assertThat(downloads()).isEqualTo(1);
  }

  /** A way to write the number of rows. */
  private record Write(String name, Action action) {
    @Override
    public String toString() {
      return name;
    }
  }

  @FunctionalInterface
  private interface Action {
    void on(DeviceArray<int[]> count, DeviceStream stream);
  }

  static Stream<Write> writes() {
    return Stream.of(
        new Write("a fill", (count, stream) -> count.fill(stream, 3)),
        new Write("an upload", (count, stream) -> count.upload(stream, new int[] {3})),
        new Write(
            "a copy",
            (count, stream) -> {
              try (DeviceArray<int[]> three =
                  stream.runtime().memory().upload(stream, new int[] {3})) {
                count.copyFrom(stream, three);
              }
            }),
        new Write("a view", (count, stream) -> count.view(0, 1).fill(stream, 3)),
        new Write(
            "bytes", (count, stream) -> count.view(0, 1).reinterpret(byte[].class).fill(stream, 3)),
        new Write(
            "a part",
            (count, stream) -> {
              try (DeviceParts<int[]> parts = count.split(0)) {
                parts.get(1).fill(stream, 3);
              }
            }),
        new Write(
            "a kernel",
            (count, stream) -> {
              count.fill(stream, 2);
              VectorKernels.on(stream).increment(count, 1);
            }));
  }

  @ParameterizedTest
  @MethodSource("writes")
  void anyWriteOfTheNumberMakesItUnknown(Write write) {
    table.setRows(stream, 7);
    table.rowCount().fill(stream, 0L);
    assertThat(table.rows(stream)).isZero();
    write.action().on(table.rowCount(), other);
    assertThat(table.knownRows()).isEmpty();
    long expected = write.name().equals("bytes") ? 0x03030303L : 3;
    if (expected > table.capacity()) {
      assertThatIllegalStateException().isThrownBy(() -> table.rows(stream));
    } else {
      assertThat(table.rows(stream)).isEqualTo(expected);
    }
  }

  @Test
  void aWriteOfPartOfASplitNumberIsSeenBeforeTheJoin() {
    table.setRows(stream, 7);
    try (DeviceParts<int[]> parts = table.rowCount().split(0)) {
      assertThat(table.knownRows()).hasValue(7);
      parts.get(1).fill(other, 3);
      assertThat(table.knownRows()).isEmpty();
    }
    assertThat(table.rows(stream)).isEqualTo(3);
  }

  @Test
  void aNumberInHostMemoryIsUnknownAfterAWriteByTheHost() {
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 1)) {
      host.put(0, new int[] {2});
      DeviceTable mapped = DeviceTable.of(Schema.of(), List.of(), 5, host.mapped());
      assertThat(mapped.knownRows()).isEmpty();
      assertThat(mapped.rows(stream)).isEqualTo(2);
      assertThat(mapped.knownRows()).hasValue(2);
      host.put(0, new int[] {4});
      assertThat(mapped.rows(stream)).isEqualTo(4);
      mapped.close();
    }
  }

  @Test
  void readsLeaveItKnown() {
    table.setRows(stream, 7);
    table.rowCount().download(stream);
    try (DeviceArray<int[]> copy = table.rowCount().copy(stream)) {
      VectorKernels.on(stream).add(table.rowCount(), copy, copy, 1);
    }
    assertThat(table.knownRows()).hasValue(7);
  }

  @Test
  void aNumberAboveTheCapacityIsRefusedWithBoth() {
    table.rowCount().fill(stream, 11);
    assertThatIllegalStateException()
        .isThrownBy(() -> table.rows(stream))
        .withMessageContaining("11 logical rows")
        .withMessageContaining("with room for 10 rows");
    assertThatIllegalStateException().isThrownBy(() -> table.isEmpty(stream));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> table.setRows(stream, 11))
        .withMessageStartingWith("11 logical rows of table");
    assertThatIllegalArgumentException().isThrownBy(() -> table.setRows(stream, -1));
  }

  @Test
  void theDeviceCountsTheRowsOfASliceThatTheHostDoesNotKnow() {
    long[][] slices = {{0, 10, 7}, {0, 3, 3}, {5, 5, 2}, {7, 3, 0}, {9, 1, 0}, {10, 0, 0}};
    for (long[] each : slices) {
      table.rowCount().fill(other, 7);
      long downloads = downloads();
      try (DeviceTable slice = table.slice(stream, each[0], each[1])) {
        table.rowCount().fill(other, 1);
        assertThat(downloads()).isEqualTo(downloads);
        assertThat(slice.knownRows()).isEmpty();
        assertThat(slice.rows(stream)).isEqualTo(each[2]);
      }
    }
  }

  @Test
  void theDeviceCountsTheRowsOfASliceWithoutASign() {
    try (DeviceTable all =
        DeviceTable.of(stream, Schema.of(), List.of(), DeviceTable.MAX_CAPACITY)) {
      all.rowCount().fill(stream, -2);
      try (DeviceTable slice = all.slice(other, 1L << 31, 1L << 30)) {
        assertThat(slice.rows(stream)).isEqualTo(1L << 30);
      }
      try (DeviceTable slice = all.slice(other, 1L << 31, (1L << 31) - 1)) {
        assertThat(slice.rows(stream)).isEqualTo((1L << 31) - 2);
      }
    }
  }

  @Test
  void theNumberIsUnsigned() {
    try (DeviceTable all =
        DeviceTable.of(stream, Schema.of(), List.of(), DeviceTable.MAX_CAPACITY)) {
      assertThat(all.rows(stream)).isEqualTo(0xFFFF_FFFFL);
      assertThat(all.rowCount().download(stream)).containsExactly(-1);
      all.rowCount().fill(other, Integer.MIN_VALUE);
      assertThat(all.rows(stream)).isEqualTo(1L << 31);
    }
  }

  @Test
  void whileDownloadsAreRefusedOnlyAKnownNumberIsGiven() {
    table.setRows(stream, 7);
    gpu.memory().refuseDownloads(true);
    assertThat(table.rows(stream)).isEqualTo(7);
    table.rowCount().fill(stream, 5);
    assertThatIllegalStateException().isThrownBy(() -> table.rows(stream));
    gpu.memory().refuseDownloads(false);
    assertThat(table.rows(stream)).isEqualTo(5);
  }

  @Test
  void oneElementCountsTheRows() {
    try (DeviceArray<int[]> two = gpu.memory().upload(stream, new int[2])) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DeviceTable.of(Schema.of(), List.of(), 5, two))
          .withMessage("the number of rows of a table () is one element, not 2");
    }
  }

  private long downloads() {
    return gpu.memory().statistics().downloads();
  }
}

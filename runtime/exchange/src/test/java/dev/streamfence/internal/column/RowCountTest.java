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
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.device.ExportedArray;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
    assertThat(gpu.memory().statistics().metadataReadBytes()).isEqualTo(4);
    assertThat(table.rows(other)).isEqualTo(8);
    assertThat(table.knownRows()).hasValue(8);
    assertThat(downloads()).isEqualTo(1);
  }

  @Test
  void aNumberOfRowsIsAReadOfMetadataAndNoDownload() {
    table.rowCount().fill(stream, 3);
    assertThat(table.rows(stream)).isEqualTo(3);
    assertThat(table.rows(stream)).isEqualTo(3);
    assertThat(gpu.memory().statistics().metadataReads()).isEqualTo(1);
    assertThat(gpu.memory().statistics().metadataReadBytes()).isEqualTo(4);
    assertThat(gpu.memory().statistics().downloads()).isZero();
    assertThat(gpu.memory().statistics().downloadedBytes()).isZero();
    table.rowCount().download(stream);
    assertThat(gpu.memory().statistics().metadataReads()).isEqualTo(1);
    assertThat(gpu.memory().statistics().downloads()).isEqualTo(1);
  }

  @Test
  void aNumberOfRowsIsReadWhileDownloadsAreRefused() {
    table.rowCount().fill(stream, 3);
    gpu.memory().refuseDownloads(true);
    assertThat(table.rows(stream)).isEqualTo(3);
    assertThat(gpu.memory().statistics().refusedDownloads()).isZero();
    assertThat(gpu.memory().statistics().metadataReads()).isEqualTo(1);
    assertThatIllegalStateException().isThrownBy(() -> table.rowCount().download(stream));
    gpu.memory().refuseDownloads(false);
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
  void aWriteDuringTheDownloadMakesTheNumberUnknown() {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    CudaDriver watched =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build()),
            (method, call) -> {
              if (method.equals("synchronizeEvent")) {
                CompletableFuture.runAsync(meanwhile.getAndSet(() -> {})).join();
              }
              return call.proceed();
            });
    try (DeviceRuntime runtime = RuntimeOverDriver.open(watched, RuntimeOptions.defaults());
        DeviceStream one = runtime.streams().acquire();
        DeviceStream two = runtime.streams().acquire();
        DeviceTable counted = DeviceTable.allocate(one, SCHEMA, 10)) {
      counted.rowCount().fill(one, 3);
      meanwhile.set(() -> counted.rowCount().fill(two, 4));
      assertThat(counted.rows(one)).isEqualTo(3);
      assertThat(counted.knownRows()).isEmpty();
      assertThat(counted.rows(one)).isEqualTo(4);
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aWriteWhileTheNumberIsSetMakesItUnknown() {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    CudaDriver watched =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build()),
            (method, call) -> {
              if (method.equals("fillAsync")) {
                meanwhile.getAndSet(() -> {}).run();
              }
              return call.proceed();
            });
    try (DeviceRuntime runtime = RuntimeOverDriver.open(watched, RuntimeOptions.defaults());
        DeviceStream one = runtime.streams().acquire();
        DeviceStream two = runtime.streams().acquire();
        DeviceTable counted = DeviceTable.allocate(one, SCHEMA, 10)) {
      WritableArray<int[]> number = WritableArray.of(counted.rowCount());
      AtomicReference<CompletableFuture<Void>> write = new AtomicReference<>();
      meanwhile.set(
          () -> {
            long before = number.registeredWrites();
            write.set(CompletableFuture.runAsync(() -> number.fill(two, 4L)));
            // Registered at once; its wait for this fill ends when the fill is submitted.
            while (number.registeredWrites() == before) {
              Thread.onSpinWait();
            }
          });
      counted.setRows(one, 3);
      write.get().join();
      assertThat(counted.knownRows()).isEmpty();
      assertThat(counted.rows(one)).isEqualTo(4);
    }
  }

  @Test
  void whatIsReadDuringAWritableExportIsUnknownAfterIt() {
    SimulatedLibrary consumer = device.library("consumer");
    long theirs = consumer.createStream();
    ExportedArray export =
        ExportedArray.of(table.rowCount(), "an export", true, OptionalLong.of(theirs));
    consumer.launch(theirs, "count", memory -> memory.putInt(export.address(), 3));
    assertThat(table.rows(stream)).isEqualTo(3);
    consumer.launch(theirs, "count", memory -> memory.putInt(export.address(), 4));
    export.end();
    assertThat(table.knownRows()).isEmpty();
    assertThat(table.rows(stream)).isEqualTo(4);
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
  void everyNumberUpToTheCapacityIsSet() {
    for (long rows : new long[] {table.capacity(), 0}) {
      table.setRows(stream, rows);
      assertThat(table.rowCount().download(other)).containsExactly((int) rows);
      assertThat(table.knownRows()).hasValue(rows);
    }
    assertThat(table.isEmpty(stream)).isTrue();
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
  void aNumberThatWasRefusedIsNotKnown() {
    table.rowCount().fill(stream, 50);
    for (int i = 0; i < 2; i++) {
      assertThatIllegalStateException()
          .isThrownBy(() -> table.rows(stream))
          .withMessageContaining("50 logical rows")
          .withMessageContaining("room for 10 rows");
      assertThat(table.knownRows()).isEmpty();
    }
    table.setRows(stream, 5);
    assertThat(table.knownRows()).hasValue(5);
  }

  @Test
  void aSliceDoesNotHideANumberAboveTheCapacity() {
    table.rowCount().fill(stream, 50);
    try (DeviceTable slice = table.slice(stream, 2, 4);
        DeviceTable sliceOfSlice = slice.slice(stream, 1, 2)) {
      for (DeviceTable each : List.of(slice, sliceOfSlice)) {
        assertThatIllegalStateException()
            .isThrownBy(() -> each.rows(stream))
            .withMessageContaining("50 logical rows")
            .withMessageContaining("room for " + each.capacity() + " rows");
      }
    }
    table.setRows(stream, 10);
    try (DeviceTable slice = table.slice(stream, 2, 4)) {
      assertThat(slice.rows(stream)).isEqualTo(4);
    }
  }

  @Test
  void askingDuringAnExportThatOnlyReadsLeavesItKnown() {
    ColumnField field = ColumnField.nullable("x", INT32);
    DeviceTable nullable = DeviceTable.allocate(stream, Schema.of(field), 10);
    nullable.setRows(stream, 7);
    for (ReadableArray<?> array :
        List.of(nullable.rowCount(), nullable.column(0).validity(), nullable.column(0).values())) {
      ExportedArray export = ExportedArray.of(array, "an export", false, OptionalLong.empty());
      assertThat(nullable.knownRows()).hasValue(7);
      assertThat(nullable.column(0).nullCount()).hasValue(0);
      export.end();
    }
    assertThat(nullable.knownRows()).hasValue(7);
    assertThat(nullable.column(0).nullCount()).hasValue(0);
    assertThat(nullable.rows(other)).isEqualTo(7);
    assertThat(downloads()).isZero();
    nullable.close();
  }

  @Test
  void duringAnExportThatWritesItIsUnknown() {
    table.setRows(stream, 7);
    ExportedArray export =
        ExportedArray.of(table.rowCount(), "an export", true, OptionalLong.empty());
    assertThat(table.knownRows()).isEmpty();
    table.setRows(stream, 6);
    assertThat(table.knownRows()).isEmpty();
    export.end();
    assertThat(table.knownRows()).isEmpty();
    assertThat(table.rows(stream)).isEqualTo(6);
    assertThat(table.knownRows()).hasValue(6);
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
  void oneElementCountsTheRows() {
    try (DeviceArray<int[]> two = gpu.memory().upload(stream, new int[2])) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DeviceTable.of(Schema.of(), List.of(), 5, two))
          .withMessage("the number of rows of a table () is one element, not 2");
    }
  }

  private long downloads() {
    return gpu.memory().statistics().metadataReads();
  }
}

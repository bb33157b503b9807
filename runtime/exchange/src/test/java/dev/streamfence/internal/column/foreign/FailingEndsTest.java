package dev.streamfence.internal.column.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.column.arrow.ArrowDevice;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of several things that end together, one that fails skips no other. */
final class FailingEndsTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();

  /** How often an array or an event was taken back, and which of these fails; 0 for none. */
  private final AtomicInteger ends = new AtomicInteger();

  private final AtomicInteger failing = new AtomicInteger();

  private final DeviceRuntime gpu =
      RuntimeOverDriver.open(
          InterceptedDriver.of(
              Inside.open(device),
              (method, call) -> {
                if (method.equals("inThreadOfOthers") && ends.incrementAndGet() == failing.get()) {
                  throw new IllegalStateException("the end failed");
                }
                return call.proceed();
              }),
          RuntimeOptions.defaults());
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static ColumnField field(String name) {
    return ColumnField.of(name, ColumnType.INT32);
  }

  private long frees() {
    return device.calls(DriverCall.FREE_ASYNC);
  }

  @Test
  void anExportedTableEndsWholly() {
    ArrowLibrary library = new ArrowLibrary();
    DeviceTable table = DeviceTable.allocate(stream, Schema.of(field("a"), field("b")), 4);
    table.column("a", int[].class).values().fill(stream, 1);
    table.column("b", int[].class).values().fill(stream, 2);
    ArrowDevice.export(stream, table, library.arrayAddress(), library.schemaAddress());
    ArrowDevice.releaseSchema(library.schemaAddress());
    table.close();
    long frees = frees();
    long events = device.calls(DriverCall.DESTROY_EVENT);
    failing.set(1);
    assertThatThrownBy(() -> ArrowDevice.releaseArray(library.arrayAddress()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the end failed");
    assertThat(ends).hasValue(3);
    assertThat(frees()).isEqualTo(frees + 1);
    assertThat(device.calls(DriverCall.DESTROY_EVENT)).isEqualTo(events + 1);
  }

  @Test
  void theTensorsOfATableThatCannotBeExportedAllEnd() {
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4)) {
      Schema schema = Schema.of(field("a"), field("b"), field("host"));
      DeviceTable table =
          DeviceTable.of(
              stream,
              schema,
              List.of(
                  DeviceColumn.of(field("a"), gpu.memory().upload(stream, new int[4])),
                  DeviceColumn.of(field("b"), gpu.memory().upload(stream, new int[4])),
                  DeviceColumn.of(field("host"), host.mapped())),
              4);
      failing.set(1);
      assertThatThrownBy(
              () -> DlPack.export(stream, table, TensorConsumer.onStream(-1).understanding(1, 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("page-locked host memory")
          .satisfies(
              e ->
                  assertThat(e.getSuppressed())
                      .extracting(Throwable::getMessage)
                      .containsExactly("the end failed"));
      assertThat(ends).hasValue(2);
      long frees = frees();
      table.close();
      // Column b and the number of rows.
      assertThat(frees()).isEqualTo(frees + 2);
    }
  }

  @Test
  void aTableIsClosedIfItsSchemaCannotBeReleased() {
    DeviceTable table = DeviceTable.allocate(stream, Schema.of(field("a")), 4);
    assertThatThrownBy(
            () ->
                ArrowAdoption.releasing(
                    () -> {
                      throw new IllegalStateException("the release failed");
                    },
                    table))
        .hasMessage("the release failed");
    assertThat(table.isOpen()).isFalse();
    assertThat(frees()).isEqualTo(2);
    DeviceTable other = DeviceTable.allocate(stream, Schema.of(field("a")), 4);
    assertThat(ArrowAdoption.releasing(() -> {}, other)).isSameAs(other);
    assertThat(other.isOpen()).isTrue();
    other.close();
  }
}

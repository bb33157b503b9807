package dev.streamfence.internal.launch;

import static dev.streamfence.column.ColumnType.INT32;
import static dev.streamfence.column.ColumnType.INT64;
import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Kernels that take columns: a column stands for its values. */
final class ColumnArgumentTest extends OneStream {
  private static final Schema PAIR =
      Schema.of(ColumnField.of("a", INT64), ColumnField.of("b", INT64));

  private final NullableKernels nullables = NullableKernels.on(stream);
  private final TableKernels tables = TableKernels.on(stream);

  private DeviceColumn<int[]> ints(int... values) {
    return DeviceColumn.of(ColumnField.of("k", INT32), gpu.memory().upload(stream, values));
  }

  private DeviceColumn<long[]> longs(String name, long... values) {
    return DeviceColumn.of(ColumnField.of(name, INT64), gpu.memory().upload(stream, values));
  }

  private DeviceTable pair(long rows) {
    return DeviceTable.of(stream, PAIR, List.of(longs("a", 1, 2, 3), longs("b", 10, 20, 30)), rows);
  }

  private void isClosed(ThrowingCallable launch, String message) {
    stream.synchronize();
    long before = device.calls();
    assertThatThrownBy(launch).isInstanceOf(UseAfterFreeException.class).hasMessage(message);
    assertThat(device.calls()).isEqualTo(before);
  }

  @Test
  void aKernelTakesTheValuesTheValidityAndTheRowsOfAColumn() {
    DeviceArray<byte[]> bits = gpu.memory().upload(stream, new byte[] {0b1101});
    try (DeviceColumn<int[]> column =
            DeviceColumn.of(
                ColumnField.nullable("k", INT32),
                gpu.memory().upload(stream, new int[] {5, 6, 7, 8}),
                bits);
        DeviceColumn<int[]> out = ints(0, 0, 0, 0)) {
      nullables.orElse(column, 3, -1, out, 4);
      assertThat(out.values().download(stream)).containsExactly(5, -1, 7, -1);
    }
  }

  @Test
  void aColumnWithoutNullsHasANullPointerForItsValidity() {
    try (DeviceColumn<int[]> column = ints(5, 6, 7);
        DeviceColumn<int[]> out = ints(0, 0, 0)) {
      nullables.orElse(column, 3, -1, out, 3);
      assertThat(out.values().download(stream)).containsExactly(5, 6, 7);
    }
  }

  @Test
  void aTableOfColumnsIsThePointerTableOfTheirValues() {
    try (DeviceTable table = pair(3);
        DeviceColumn<long[]> sums = longs("s", 0, 0, 0)) {
      nullables.sumRows(table, sums, 3);
      assertThat(sums.values().download(stream)).containsExactly(11, 22, 33);
      nullables.sumRows(table.select("b", "a").slice(stream, 1, 2), sums, 2);
      assertThat(sums.values().download(stream)).containsExactly(22, 33, 33);
      nullables.sumRows(List.of(table.column("a")), sums, 3);
      assertThat(sums.values().download(stream)).containsExactly(1, 2, 3);
      nullables.sumRows(new LinkedList<>(table.columns()), sums, 3);
      assertThat(sums.values().download(stream)).containsExactly(11, 22, 33);
      nullables.sumRows(new ReadableColumn<?>[] {table.column("b"), table.column("b")}, sums, 3);
      assertThat(sums.values().download(stream)).containsExactly(20, 40, 60);
    }
  }

  @Test
  void aTableThatTheStreamHasSeenIsNotCopiedAgain() {
    try (DeviceTable table = pair(3);
        DeviceColumn<long[]> sums = longs("s", 0, 0, 0)) {
      nullables.sumRows(table, sums, 3);
      long before = device.calls(DriverCall.COPY_TO_DEVICE_ASYNC);
      nullables.sumRows(table, sums, 3);
      nullables.sumRows(table.select("a", "b"), sums, 3);
      assertThat(device.calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isEqualTo(before);
    }
  }

  @Test
  void columnsAreOrderedWithTheOtherUsesOfTheirValues() {
    try (DeviceStream other = gpu.streams().acquire();
        DeviceTable table = pair(3);
        DeviceColumn<long[]> sums = longs("s", 0, 0, 0)) {
      table.column("a", long[].class).values().fill(other, 5);
      nullables.sumRows(table, sums, 3);
      table.column("b", long[].class).values().fill(other, 6);
      assertThat(sums.values().download(other)).containsExactly(15, 25, 35);
    }
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void aNullColumnIsRefusedByNameOrIndex() {
    try (DeviceColumn<int[]> column = ints(0);
        DeviceColumn<long[]> sums = longs("s", 0)) {
      try (LaunchRecorder orElse =
          LoadedModule.of(stream, NullableKernels.IMAGE)
              .recorder(NullableKernels.OR_ELSE)
              .begin()) {
        orElse.struct(this);
        assertRefused(
            () -> orElse.array(null),
            KernelArgumentException.Mistake.NULL,
            "orElse",
            "column.values");
        orElse.array(column);
      }
      assertRefused(
          () -> nullables.sumRows(Arrays.asList(sums, null), sums, 1),
          KernelArgumentException.Mistake.NULL,
          "sumRows",
          "columns[1]");
      assertRefused(
          () -> nullables.sumRows(new ReadableColumn<?>[1], sums, 1),
          KernelArgumentException.Mistake.NULL,
          "sumRows",
          "columns[0]");
      assertRefused(
          () -> nullables.sumRows((DeviceTable) null, sums, 1),
          KernelArgumentException.Mistake.NULL,
          "sumRows",
          "columns");
      assertRefused(
          () -> nullables.sumRows(List.of(), null, 1),
          KernelArgumentException.Mistake.NULL,
          "sumRows",
          "sums");
    }
  }

  @Test
  void anAbsentColumnPassesTheAddress0() {
    OptionalKernels optionals = OptionalKernels.on(stream);
    try (DeviceColumn<int[]> column = ints(3);
        DeviceColumn<int[]> out = ints(0)) {
      optionals.pick(column, column, out);
      assertThat(out.values().download(stream)).containsExactly(3);
      column.values().upload(stream, new int[] {4});
      optionals.pick(column, null, out);
      assertThat(out.values().download(stream)).containsExactly(4);
    }
  }

  @Test
  void aColumnOutOfTurnIsRefused() {
    try (DeviceColumn<int[]> column = ints(1);
        DeviceTable table = pair(3);
        LaunchRecorder bump =
            LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP).begin()) {
      assertRefused(
          () -> bump.array(column), KernelArgumentException.Mistake.UNEXPECTED, "bump", "columns");
      bump.table(List.of(column));
      assertRefused(
          () -> bump.table(table),
          KernelArgumentException.Mistake.UNEXPECTED,
          "bump",
          "columnCount");
    }
  }

  @Test
  void aClosedColumnOrTableIsRefusedWithItsParameter() {
    DeviceColumn<long[]> sums = longs("s", 0, 0, 0);
    DeviceColumn<long[]> closed = longs("gone", 0);
    DeviceTable table = pair(3);
    ReadableColumn<?> ofTable = table.column("b");
    closed.close();
    table.close();
    isClosed(
        () -> nullables.sumRows(List.of(sums, closed), sums, 1),
        "sumRows: parameter 'columns[1]' uses " + closed + ", which is closed");
    isClosed(
        () -> nullables.sumRows(new ReadableColumn<?>[] {ofTable}, sums, 1),
        "sumRows: parameter 'columns[0]' uses " + ofTable + ", which is closed");
    isClosed(
        () -> nullables.sumRows(table, sums, 1),
        "sumRows: parameter 'columns' uses " + table + ", which is closed");
    DeviceColumn<long[]> ones = longs("one", 1);
    isClosed(
        () -> nullables.sumRows(List.of(ones), closed, 1),
        "sumRows: parameter 'sums' uses " + closed + ", which is closed");
    ones.close();
    sums.close();
  }

  @Test
  void aColumnOfOtherValuesIsRefusedByItsIndex() {
    try (DeviceColumn<int[]> good = ints(1);
        DeviceColumn<long[]> bad = longs("s", 1)) {
      assertThatThrownBy(() -> bump(List.of(good, bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("bump: parameter 'columns[1]' is long[1]")
          .hasMessageContaining("the kernel takes an array of int");
    }
  }

  @Test
  void aColumnOfAnotherRuntimeIsRefusedByItsIndex() {
    try (DeviceRuntime elsewhere = DeviceRuntime.simulated();
        DeviceColumn<int[]> good = ints(1);
        DeviceColumn<int[]> bad =
            DeviceColumn.of(
                ColumnField.of("k", INT32),
                elsewhere.memory().upload(elsewhere.streams().acquire(), new int[1]))) {
      assertThatThrownBy(() -> bump(List.of(good, bad)))
          .satisfies(misuse(Misuse.OTHER_RUNTIME, "bump", "columns[1]"))
          .hasMessageContaining("bump: parameter 'columns[1]' is ")
          .hasMessageContaining("they belong to two runtimes");
    }
  }

  @Test
  void oneColumnTwiceInATableThatIsWrittenIsRefused() {
    try (DeviceColumn<int[]> column = ints(1, 2, 3)) {
      assertThatThrownBy(() -> bump(List.of(column, column.slice(1, 2))))
          .satisfies(misuse(Misuse.ALIAS))
          .hasMessageContaining("parameter 'columns[1]'")
          .hasMessageContaining("parameter 'columns[0]'");
    }
  }

  @Test
  void aReadOnlyColumnOfATableIsRefusedWhereAKernelWrites() {
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3});
    try (ReadableColumn<int[]> readOnly = ReadableColumn.of(ColumnField.of("k", INT32), values);
        DeviceColumn<int[]> out = ints(0, 0, 0);
        DeviceColumn<int[]> good = ints(1, 2, 3)) {
      bump(List.of(good));
      assertThatThrownBy(() -> bump(List.of(good, readOnly)))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessage(
              "bump: parameter 'columns[1]' writes int[3] in "
                  + Inside.allocation(values)
                  + ", which is read-only; write a copy of it instead");
      nullables.orElse(readOnly, 3, 0, out, 3);
      assertThat(out.values().download(stream)).containsExactly(1, 2, 3);
      assertThat(good.values().download(stream)).containsExactly(2, 2, 3);
    }
  }

  @Test
  void aTableThatIsRefusedLeavesItsTurn() {
    try (DeviceColumn<int[]> column = ints(1)) {
      try (LaunchRecorder bump =
          LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP).begin()) {
        assertThatThrownBy(() -> bump.table(Arrays.asList(column, null)))
            .isInstanceOf(IllegalArgumentException.class);
        bump.table(List.of(column)).value(1).threads(1).preflight().launch().commit();
      }
      assertThat(column.values().download(stream)).containsExactly(2);
    }
  }

  @Test
  void arraysAndColumnsAreOneTableOfAddressesToTheKernel() {
    try (DeviceColumn<int[]> column = ints(1, 2)) {
      tables.bump(List.of(column.values()), 2);
      bump(List.of(column));
      assertThat(column.values().download(stream)).containsExactly(3, 3);
    }
  }

  private void bump(List<? extends ReadableColumn<?>> columns) {
    try (LaunchRecorder bump =
        LoadedModule.of(stream, TableKernels.IMAGE).recorder(TableKernels.BUMP).begin()) {
      bump.table(columns).value(columns.size()).threads(1);
      bump.preflight().launch().commit();
    }
  }
}

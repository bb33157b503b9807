package dev.streamfence.internal.column;

import static dev.streamfence.column.ColumnType.BOOL;
import static dev.streamfence.column.ColumnType.FLOAT64;
import static dev.streamfence.column.ColumnType.INT32;
import static dev.streamfence.column.ColumnType.INT64;
import static dev.streamfence.column.ColumnType.UINT32;
import static dev.streamfence.column.ColumnType.UINT64;
import static dev.streamfence.column.ColumnType.UTF8;
import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables: their columns, their capacity, and the tables that are made of them. */
final class DeviceTableTest {
  private static final Schema PAIR =
      Schema.of(ColumnField.of("a", UINT32), ColumnField.nullable("b", INT64));

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTraceAllocations(true));
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void everyArrayWasClosed() {
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void anAllocatedTableHasRoomAndNoRows() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 100)) {
      assertThat(table.schema()).isEqualTo(PAIR);
      assertThat(table.capacity()).isEqualTo(100);
      assertThat(table.rows(stream)).isZero();
      assertThat(table.isEmpty(stream)).isTrue();
      assertThat(table.columns()).hasSize(2);
      assertThat(table.sizeInBytes()).isEqualTo(400 + 800 + 13).isEqualTo(PAIR.sizeInBytes(100));
      assertThat(table.runtime()).isSameAs(gpu);
      assertThat(table.isOpen()).isTrue();
      assertThat(table.column("b", long[].class).validity().download(stream)).containsOnly(0xff);
      assertThat(table).hasToString("table (a: uint32 not null, b: int64) with room for 100 rows");
    }
  }

  @Test
  void noTableAndNoColumnIsOpenOnceItsRuntimeIsClosed() {
    DeviceRuntime brief = DeviceRuntime.simulated();
    DeviceTable table =
        DeviceTable.allocate(brief.streams().acquire(), Schema.of(ColumnField.of("a", INT32)), 4);
    assertThat(table.isOpen()).isTrue();
    assertThat(table.column(0, int[].class).isOpen()).isTrue();
    brief.close();
    assertThat(table.isOpen()).isFalse();
    assertThat(table.column(0, int[].class).isOpen()).isFalse();
  }

  @Test
  void aTableWithoutColumnsIsEmptyAndTakesNoBytes() {
    try (DeviceTable table = DeviceTable.of(stream, Schema.of(), List.of(), 0)) {
      assertThat(table.isEmpty(stream)).isTrue();
      assertThat(table.capacity()).isZero();
      assertThat(table.columns()).isEmpty();
      assertThat(table.schema().columnCount()).isZero();
      assertThat(table.sizeInBytes()).isZero();
    }
    try (DeviceTable rowsAlone = DeviceTable.of(stream, Schema.of(), List.of(), 7)) {
      assertThat(rowsAlone.rows(stream)).isEqualTo(7);
      assertThat(rowsAlone.capacity()).isEqualTo(7);
    }
  }

  @Test
  void twoColumnsOf100RowsTake1200Bytes() {
    Schema schema = Schema.of(ColumnField.of("a", UINT32), ColumnField.of("b", UINT64));
    try (DeviceTable table = DeviceTable.allocate(stream, schema, 100)) {
      assertThat(table.sizeInBytes()).isEqualTo(1200);
    }
  }

  @Test
  void emptyMeansNoLogicalRowsAndNotNoRoom() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 4)) {
      assertThat(table.isEmpty(stream)).isTrue();
      table.setRows(stream, 1);
      assertThat(table.isEmpty(stream)).isFalse();
      assertThat(table.capacity()).isEqualTo(4);
    }
  }

  @Test
  void columnsAreFoundByPositionAndByName() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 3)) {
      assertThat(table.column(0)).isSameAs(table.column("a"));
      assertThat(table.column(1).field()).isEqualTo(PAIR.field(1));
      DeviceColumn<int[]> a = table.column("a", int[].class);
      DeviceColumn<long[]> b = table.column(1, long[].class);
      assertThat(a.values().length()).isEqualTo(3);
      assertThat(b.validity().length()).isEqualTo(1);
      assertThat(table.readable("a", int[].class)).isSameAs(a);
      assertThat(table.readable(1, long[].class)).isSameAs(b);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.column(2))
          .withMessageStartingWith("field 2 of a schema of 2");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.column("c"))
          .withMessageStartingWith("no field is named 'c'");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.column("a", float[].class))
          .withMessage(
              "column 'a' (uint32 not null) of 3 rows has values of int[], not of float[]");
    }
  }

  @Test
  void aReadOnlyColumnIsGivenAsSuchOnly() {
    ReadableColumn<int[]> column =
        ReadableColumn.of(ColumnField.of("x", INT32), gpu.memory().upload(stream, new int[2]));
    try (DeviceTable table =
        DeviceTable.of(stream, Schema.of(column.field()), List.of(column), 2)) {
      assertThat(table.readable("x", int[].class).length()).isEqualTo(2);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.column("x", int[].class))
          .withMessageContaining("is read-only (OWNED); readable() gives it");
    }
  }

  @Test
  void theArityOfColumnsAndSchemaIsEqual() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.of(stream, PAIR, List.of(), 0))
        .withMessageStartingWith("0 columns for a schema of 2 fields");
    DeviceColumn<int[]> column = ints("a", 1, 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.of(stream, Schema.of(), List.of(column), 2))
        .withMessageStartingWith("1 columns for a schema of 0 fields");
    column.close();
  }

  @Test
  void columnsThatDoNotFitStayTheCallers() {
    DeviceColumn<int[]> two = ints("a", 1, 2);
    DeviceColumn<int[]> three = ints("b", 1, 2, 3);
    DeviceColumn<long[]> nullable =
        DeviceColumn.allocate(stream, ColumnField.nullable("n", INT64), long[].class, 2);
    long requests = gpu.memory().statistics().allocationRequests();
    refused(
        "column 'b' (int32 not null) of 3 rows in a table with room for 2 rows",
        Schema.of(two.field(), three.field()),
        List.of(two, three),
        2);
    refused(
        "for field a: float64 not null: the types differ",
        Schema.of(ColumnField.of("a", FLOAT64)),
        List.of(two),
        2);
    refused(
        "for field n: int64 not null: it has a validity bitmap; make the field nullable",
        Schema.of(ColumnField.of("n", INT64)),
        List.of(nullable),
        2);
    refused("3 logical rows of a table", Schema.of(two.field()), List.of(two), 3);
    refused("-1 logical rows of a table", Schema.of(two.field()), List.of(two), -1);
    refused("the capacity is 0 to 4294967295", Schema.of(), List.of(), 1L << 32);
    refused("the capacity is 0 to 4294967295", Schema.of(), List.of(), -1);
    assertThat(gpu.memory().statistics().allocationRequests()).isEqualTo(requests);
    for (DeviceColumn<?> column : List.of(two, three, nullable)) {
      assertThat(column.isOpen()).isTrue();
      column.close();
    }
  }

  @Test
  void columnsOfTwoRuntimesAreRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream elsewhere = other.streams().acquire();
        DeviceTable table = DeviceTable.allocate(stream, PAIR, 2);
        DeviceTable theirs = DeviceTable.allocate(elsewhere, PAIR, 2)) {
      assertThatThrownBy(() -> table.append(theirs.column(0)))
          .satisfies(misuse(Misuse.OTHER_RUNTIME));
      assertThatThrownBy(() -> DeviceTable.of(stream, PAIR, theirs.columns(), 2))
          .isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(() -> DeviceTable.of(PAIR, table.columns(), 2, theirs.rowCount()))
          .isInstanceOf(StreamMisuseException.class);
    }
  }

  @Test
  void whatItsLengthAloneDoesNotSayIsNotAllocated() {
    Schema text = PAIR.append(ColumnField.of("t", UTF8));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.allocate(stream, text, 4))
        .withMessageContaining("column 't' (utf8) cannot be allocated by its length alone");
    Schema codes = PAIR.append(ColumnField.of("d", ColumnType.dictionary(INT32)));
    assertThatIllegalArgumentException().isThrownBy(() -> DeviceTable.allocate(stream, codes, 4));
    assertThatIllegalArgumentException().isThrownBy(() -> DeviceTable.allocate(stream, PAIR, -1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.allocate(stream, PAIR, 1L << 32))
        .withMessageContaining("with room for 4294967296 rows; the capacity is 0 to 4294967295");
  }

  @Test
  void anAllocatedTableCountsInTheBudgetThatItNames() {
    DeviceMemory part = gpu.memory().within(1000);
    try (DeviceTable table = DeviceTable.allocate(stream, part, PAIR, 50)) {
      assertThat(table.sizeInBytes() + 4).isEqualTo(200 + 400 + 7 + 4);
      assertThat(part.statistics().liveBytes()).isEqualTo(200 + 400 + 7 + 4);
      assertThatThrownBy(() -> DeviceTable.allocate(stream, part, PAIR, 50))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(part.statistics().liveBytes()).isEqualTo(200 + 400 + 7 + 4);
    }
  }

  @Test
  void derivedTablesShareColumnsAndRows() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 3);
        DeviceColumn<int[]> more = ints("c", 7, 8, 9)) {
      long requests = gpu.memory().statistics().allocationRequests();
      long calls = device.calls();
      DeviceTable derived = table.append(more).rename("a", "ключ").select("c", "ключ");
      assertThat(device.calls()).isEqualTo(calls);
      assertThat(gpu.memory().statistics().allocationRequests()).isEqualTo(requests);
      assertThat(derived.schema()).hasToString("(c: int32 not null, ключ: uint32 not null)");
      assertThat(derived.column(1).name()).isEqualTo("ключ");
      assertThat(derived.column(1).values()).isSameAs(table.column("a").values());
      assertThat(derived.column("c")).isSameAs(more);
      assertThat(derived.rowCount()).isSameAs(table.rowCount());
      table.setRows(stream, 2);
      assertThat(derived.knownRows()).hasValue(2);
      derived.close();
      assertThat(derived.isOpen()).isTrue();
      assertThat(more.isOpen()).isTrue();
    }
  }

  @Test
  void derivedTablesEndWithTheirSource() {
    DeviceTable table = DeviceTable.allocate(stream, PAIR, 3);
    DeviceTable derived = table.select("b").rename("b", "x");
    table.close();
    assertThat(derived.isOpen()).isFalse();
    assertThatThrownBy(() -> derived.column("x"))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessage(
            "column 'x' uses table (a: uint32 not null, b: int64) with room for 3 rows, which is"
                + " closed");
  }

  @Test
  void anAppendedColumnHasTheCapacity() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 3);
        DeviceColumn<int[]> two = ints("c", 7, 8)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.append(two))
          .withMessageContaining("column 'c' (int32 not null) of 2 rows")
          .withMessageContaining("with room for 3 rows");
    }
  }

  @Test
  void columnsOfOneNameAreFoundByPositionOnly() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 2);
        DeviceColumn<int[]> same = ints("a", 7, 8)) {
      DeviceTable twice = table.append(same);
      assertThat(twice.column(2)).isSameAs(same);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> twice.column("a"))
          .withMessageContaining("use a position");
    }
  }

  @Test
  void aSliceIsAViewOfRowsWithAnOwnNumberOfThem() {
    Schema schema = Schema.of(ColumnField.of("x", INT32), ColumnField.nullable("f", BOOL));
    try (DeviceTable table = DeviceTable.allocate(stream, schema, 20)) {
      table.column("x", int[].class).values().fill(stream, 1);
      table.column("f", byte[].class).values().fill(stream, 0L);
      table.setRows(stream, 13);
      try (DeviceTable slice = table.slice(stream, 10, 6);
          DeviceTable beyond = table.slice(stream, 15, 5);
          DeviceTable within = table.slice(stream, 2, 5);
          DeviceTable nothing = table.slice(stream, 20, 0)) {
        assertThat(slice.capacity()).isEqualTo(6);
        assertThat(slice.knownRows()).hasValue(3);
        assertThat(slice.rowCount().download(stream)).containsExactly(3);
        assertThat(beyond.rows(stream)).isZero();
        assertThat(within.rows(stream)).isEqualTo(5);
        assertThat(nothing.capacity()).isZero();
        VectorKernels.on(stream).increment(slice.column("x", int[].class).values(), 6);
        assertThat(table.column("x", int[].class).values().download(stream, 8, 10))
            .containsExactly(1, 1, 2, 2, 2, 2, 2, 2, 1, 1);
        assertThat(slice.column("f").bitOffset()).isEqualTo(2);
        table.setRows(stream, 20);
        assertThat(slice.rows(stream)).isEqualTo(3);
        try (DeviceTable inner = slice.slice(stream, 1, 2)) {
          assertThat(inner.rows(stream)).isEqualTo(2);
        }
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.slice(stream, 15, 6))
          .withMessageStartingWith("a slice of 6 rows from row 15 of table");
      assertThatIllegalArgumentException().isThrownBy(() -> table.slice(stream, -1, 1));
    }
  }

  @Test
  void aClosedSliceLeavesTheTableOpen() {
    try (DeviceTable table = DeviceTable.allocate(stream, PAIR, 3)) {
      DeviceTable slice = table.slice(stream, 0, 2);
      slice.close();
      slice.close();
      assertThat(slice.isOpen()).isFalse();
      assertThatThrownBy(() -> slice.column("a"))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("with room for 2 rows, which is closed");
      assertThat(table.column("a").values().download(stream)).isNotNull();
    }
  }

  @Test
  void aTableOfSlicesOwnsNoneOfThem() {
    try (DeviceColumn<int[]> column = ints("x", 1, 2, 3)) {
      try (DeviceTable table =
          DeviceTable.of(stream, Schema.of(column.field()), List.of(column.slice(1, 2)), 2)) {
        assertThat(table.column("x", int[].class).values().download(stream)).containsExactly(2, 3);
      }
      assertThat(column.values().download(stream)).containsExactly(1, 2, 3);
    }
  }

  @Test
  void aClosedTableIsNamedWithTheColumn() {
    DeviceTable table = DeviceTable.allocate(stream, PAIR, 3);
    DeviceColumn<int[]> column = table.column("a", int[].class);
    DeviceArray<int[]> values = column.values();
    table.close();
    assertThatThrownBy(table::columns)
        .hasRootCauseMessage("closed here by " + Thread.currentThread().getName());
    table.close();
    for (Runnable use :
        List.<Runnable>of(
            table::columns,
            () -> table.column(0),
            () -> table.column("a", int[].class),
            () -> table.readable("a", int[].class),
            table::rowCount,
            () -> table.rows(stream),
            table::knownRows,
            () -> table.setRows(stream, 1),
            () -> table.isEmpty(stream),
            () -> table.select("a"),
            () -> table.rename("a", "x"),
            () -> table.append(column),
            () -> table.slice(stream, 0, 1))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("uses table (a: uint32 not null, b: int64)")
          .hasRootCauseMessage("closed here by " + Thread.currentThread().getName());
    }
    assertThatThrownBy(() -> table.column("a"))
        .hasMessageStartingWith("column 'a' uses table (a: uint32 not null, b: int64)");
    assertThatThrownBy(column::values).hasMessageContaining("column 'a' (uint32 not null)");
    assertThatThrownBy(() -> values.download(stream))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("column 'a'");
  }

  @Test
  void columnsOfATableAreOrderedLikeArrays() {
    try (DeviceStream other = gpu.streams().acquire();
        DeviceTable table = DeviceTable.allocate(stream, PAIR, 64)) {
      DeviceArray<int[]> values = table.column("a", int[].class).values();
      values.fill(stream, 1);
      VectorKernels.on(other).increment(values, 64);
      assertThat(values.download(stream)).containsOnly(2);
      assertThat(Inside.allocation(values).tag()).isEqualTo("column 'a'");
    }
  }

  private void refused(
      String message, Schema schema, List<? extends ReadableColumn<?>> columns, long rows) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.of(stream, schema, columns, rows))
        .withMessageContaining(message);
  }

  private DeviceColumn<int[]> ints(String name, int... values) {
    return DeviceColumn.of(ColumnField.of(name, INT32), gpu.memory().upload(stream, values));
  }
}

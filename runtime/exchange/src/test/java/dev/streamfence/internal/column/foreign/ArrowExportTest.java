package dev.streamfence.internal.column.foreign;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Memory;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RacyAccessException;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.column.TimestampUnit;
import dev.streamfence.column.arrow.ArrowDevice;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.internal.exchange.ArrayNode;
import dev.streamfence.internal.exchange.DeviceArrayNode;
import dev.streamfence.internal.exchange.SchemaNode;
import dev.streamfence.launch.ElementType;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables as Arrow device arrays for another library, and back. */
final class ArrowExportTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final SimulatedLibrary cudf = device.library("cudf");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final ArrowLibrary library = new ArrowLibrary();

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    ArrowDevice.releaseArray(library.arrayAddress());
    ArrowDevice.releaseSchema(library.schemaAddress());
    if (gpu.isOpen()) {
      awaitNothingOutstanding();
    }
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void export(DeviceTable table) {
    ArrowDevice.export(stream, table, library.arrayAddress(), library.schemaAddress());
  }

  private DeviceTable adopt() {
    return ArrowDevice.adopt(stream, library.arrayAddress(), library.schemaAddress());
  }

  private DeviceArrayNode read() {
    return DeviceArrayNode.read(library.arrayAddress(), SchemaNode.read(library.schemaAddress()));
  }

  static List<ColumnType> types() {
    return List.of(
        ColumnType.BOOL,
        ColumnType.BOOL8,
        ColumnType.INT8,
        ColumnType.INT16,
        ColumnType.INT32,
        ColumnType.INT64,
        ColumnType.UINT8,
        ColumnType.UINT16,
        ColumnType.UINT32,
        ColumnType.UINT64,
        ColumnType.FLOAT32,
        ColumnType.FLOAT64,
        ColumnType.DATE32,
        ColumnType.timestamp(TimestampUnit.SECOND),
        ColumnType.timestamp(TimestampUnit.MILLISECOND, "UTC"),
        ColumnType.timestamp(TimestampUnit.MICROSECOND, "Europe/Zurich"),
        ColumnType.timestamp(TimestampUnit.NANOSECOND),
        ColumnType.decimal(18, 2),
        ColumnType.decimal(5, -3));
  }

  @ParameterizedTest
  @MethodSource("types")
  void aColumnOfEachTypeGoesOutAndComesBackWithoutACopy(ColumnType type) {
    Schema schema = Schema.of(ColumnField.nullable("größe", type));
    DeviceTable table = DeviceTable.allocate(stream, schema, 11);
    table.setRows(stream, 11);
    fill(table.column(0, type.arrayType()).values());
    table.column(0, type.arrayType()).validity().fill(stream, 0b1011_0101L - 256);
    export(table);
    DeviceTable back = adopt();
    assertThat(back.schema()).isEqualTo(schema);
    assertThat(back.rows(stream)).isEqualTo(11);
    ReadableColumn<?> column = back.column(0);
    assertThat(column.origin()).isEqualTo(ColumnOrigin.ARROW_EXPORT);
    assertThat(column.isExternal()).isFalse();
    assertThat(column.slice(1, 2).origin()).isEqualTo(ColumnOrigin.ARROW_EXPORT);
    assertThat(Inside.allocation(column.values()))
        .isSameAs(Inside.allocation(table.column(0).values()));
    assertThat(column.values().download(stream))
        .isEqualTo(table.column(0).values().download(stream));
    assertThat(column.validity().download(stream))
        .isEqualTo(table.column(0).validity().download(stream));
    assertThat(device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isZero();
    back.close();
    table.close();
  }

  private void fill(DeviceArray<?> values) {
    if (values.elementType() == ElementType.BOOLEAN) {
      values.fill(stream, true);
    } else {
      values.fill(stream, 77L);
    }
  }

  @Test
  void textAndDictionariesGoOutAndComeBack() {
    Schema schema =
        Schema.of(
            ColumnField.nullable("t", ColumnType.UTF8),
            ColumnField.of("d", ColumnType.dictionary(ColumnType.INT16)));
    DeviceTable table =
        DeviceTable.of(
            stream,
            schema,
            List.of(
                text(schema.field(0), new byte[] {0b101}),
                DeviceColumn.ofDictionary(
                    schema.field(1),
                    gpu.memory().upload(stream, new short[] {2, 0, 1}),
                    gpu.memory().allocate(stream, byte[].class, 0),
                    text(ColumnField.of("", ColumnType.UTF8), new byte[0]))),
            3);
    export(table);
    assertThat(device.calls(DriverCall.COPY_TO_HOST_ASYNC)).isZero();
    DeviceTable back = adopt();
    assertThat(back.schema()).isEqualTo(schema);
    ReadableColumn<byte[]> t = back.readable("t", byte[].class);
    assertThat(string(t.values())).isEqualTo("abcde");
    assertThat(t.offsets().download(stream)).containsExactly(0, 2, 2, 5);
    assertThat(t.validity().download(stream)).containsExactly(0b101);
    ReadableColumn<short[]> d = back.readable("d", short[].class);
    assertThat(d.values().download(stream)).containsExactly(2, 0, 1);
    assertThat(string(d.dictionary().values())).isEqualTo("abcde");
    back.close();
    table.close();
  }

  private DeviceColumn<byte[]> text(ColumnField field, byte[] validity) {
    return DeviceColumn.ofText(
        field,
        gpu.memory().upload(stream, new int[] {0, 2, 2, 5}),
        gpu.memory().upload(stream, "abcde".getBytes(StandardCharsets.UTF_8)),
        gpu.memory().upload(stream, validity));
  }

  private String string(ReadableArray<byte[]> text) {
    return new String(text.download(stream), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @MethodSource("types")
  void slicesOfColumnsGoOutWithAnOffset(ColumnType type) {
    Schema schema = Schema.of(ColumnField.nullable("x", type));
    try (DeviceTable table = DeviceTable.allocate(stream, schema, 20)) {
      table.setRows(stream, 20);
      fill(table.column(0, type.arrayType()).values());
      table.column(0, type.arrayType()).validity().fill(stream, 0b0110_1101L);
      try (DeviceTable slice = table.slice(stream, 5, 12)) {
        export(slice);
        ArrayNode column = read().array().children().get(0);
        assertThat(column.offset()).isEqualTo(5);
        assertThat(column.length()).isEqualTo(12);
        assertThat(column.buffers().get(1))
            .isEqualTo(Inside.allocation(table.column(0).values()).address());
        DeviceTable back = adopt();
        ReadableColumn<?> again = back.column(0);
        assertThat(again.bitOffset()).isEqualTo(slice.column(0).bitOffset());
        assertThat(again.validityOffset()).isEqualTo(5);
        assertThat(again.values().download(stream))
            .isEqualTo(slice.column(0).values().download(stream));
        assertThat(again.validity().download(stream))
            .isEqualTo(slice.column(0).validity().download(stream));
        back.close();
      }
    }
  }

  @Test
  void aSliceOfTextGoesOutWithTheOffsetsOfItsRows() {
    DeviceArray<int[]> offsets = gpu.memory().upload(stream, new int[] {0, 1, 3, 6, 10, 15});
    DeviceArray<byte[]> text = gpu.memory().upload(stream, new byte[15]);
    DeviceArray<byte[]> validity = gpu.memory().upload(stream, new byte[] {0b11011});
    Schema schema = Schema.of(ColumnField.nullable("x", ColumnType.UTF8));
    DeviceColumn<byte[]> column = DeviceColumn.ofText(schema.field(0), offsets, text, validity);
    try (DeviceTable table = DeviceTable.of(stream, schema, List.of(column), 5);
        DeviceTable slice = table.slice(stream, 2, 3)) {
      export(slice);
      assertThat(read().array().children().get(0).buffers().get(1))
          .isEqualTo(Inside.allocation(offsets).address());
      DeviceTable back = adopt();
      assertThat(back.column(0).offsets().download(stream)).containsExactly(3, 6, 10, 15);
      assertThat(back.column(0).validityOffset()).isEqualTo(2);
      back.close();
    }
  }

  @Test
  void aSliceOfBitsWithoutNullsGoesOutWithAnOffset() {
    Schema schema = Schema.of(ColumnField.of("b", ColumnType.BOOL));
    DeviceColumn<byte[]> bits =
        DeviceColumn.ofBits(
            schema.field(0),
            3,
            gpu.memory().upload(stream, new byte[] {0b110}),
            gpu.memory().allocate(stream, byte[].class, 0));
    try (DeviceTable table = DeviceTable.of(stream, schema, List.of(bits), 3);
        DeviceTable slice = table.slice(stream, 1, 2)) {
      export(slice);
      DeviceTable back = adopt();
      assertThat(back.column(0).bitOffset()).isEqualTo(1);
      assertThat(back.readable(0, byte[].class).values().download(stream)).containsExactly(0b110);
      back.close();
    }
  }

  @Test
  void theEventOfAReleasedTableIsDestroyed() {
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", ColumnType.INT32)), 4)) {
      export(table);
      long destroyed = device.calls(DriverCall.DESTROY_EVENT);
      ArrowDevice.releaseArray(library.arrayAddress());
      assertThat(device.calls(DriverCall.DESTROY_EVENT)).isEqualTo(destroyed + 1);
    }
  }

  @Test
  void theConsumersEventComesAfterWhatOtherStreamsHaveWritten() {
    DeviceStream other = gpu.streams().acquire();
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", ColumnType.INT32)), 4)) {
      table.setRows(stream, 4);
      gpu.synchronize();
      table.column(0, int[].class).values().fill(other, 7);
      export(table);
      long theirs = cudf.createStream();
      cudf.waitForEvent(theirs, read().event());
      long values = Inside.allocation(table.column(0).values()).address();
      int[] seen = new int[1];
      cudf.launch(theirs, "read", memory -> seen[0] = memory.getInt(values));
      cudf.synchronize(theirs);
      assertThat(seen).containsExactly(7);
      ArrowDevice.releaseArray(library.arrayAddress());
    }
  }

  @Test
  void anArrayHasTheLogicalRows() {
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.nullable("x", ColumnType.INT32)), 9)) {
      table.setRows(stream, 2);
      export(table);
      ArrayNode array = read().array();
      assertThat(array.length()).isEqualTo(2);
      assertThat(array.children().get(0).length()).isEqualTo(2);
      assertThat(array.children().get(0).nullCount()).isEqualTo(ArrayNode.UNKNOWN);
      ArrowDevice.releaseArray(library.arrayAddress());
      table.rowCount().fill(stream, 10L);
      assertThatIllegalStateException().isThrownBy(() -> export(table));
    }
  }

  @Test
  void tablesWithoutRowsOrColumnsGoOut() {
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.nullable("x", ColumnType.INT32)), 0)) {
      export(table);
      DeviceTable back = adopt();
      assertThat(back.schema()).isEqualTo(table.schema());
      assertThat(back.capacity()).isZero();
      back.close();
    }
    try (DeviceTable table = DeviceTable.of(stream, Schema.of(), List.of(), 7)) {
      export(table);
      DeviceTable back = adopt();
      assertThat(back.rows(stream)).isEqualTo(7);
      back.close();
    }
  }

  @Test
  void theEventComesAfterEveryWrite() {
    long theirs = cudf.createStream();
    try (DeviceStream other = gpu.streams().acquire();
        DeviceTable table = numbers()) {
      // Not on the stream of the export.
      table.column("x", int[].class).values().fill(other, 7L);
      export(table);
      DeviceArrayNode array = read();
      assertThat(array.device().toString()).isEqualTo("device 0 of type 2 (CUDA)");
      long values = array.array().children().get(0).buffers().get(1);
      cudf.waitForEvent(theirs, array.event());
      int[] seen = new int[1];
      cudf.launch(theirs, "read", memory -> seen[0] = memory.getInt(values + 12));
      cudf.synchronize(theirs);
      assertThat(seen[0]).isEqualTo(7);
    }
  }

  @Test
  void withoutTheEventAReadIsARace() {
    device.collectFindings();
    long theirs = cudf.createStream();
    try (DeviceTable table = numbers()) {
      export(table);
      long values = read().array().children().get(0).buffers().get(1);
      cudf.launch(theirs, "read", memory -> memory.getInt(values));
      cudf.synchronize(theirs);
    }
    assertThat(device.findings())
        .extracting(finding -> finding.kind())
        .contains(RacyAccessException.Kind.USE_BEFORE_READY);
  }

  @Test
  void aTableThatIsClosedStaysAllocatedUntilItsRelease() throws InterruptedException {
    DeviceTable table = numbers();
    export(table);
    table.close();
    assertThat(gpu.memory().bytesOutstanding()).isGreaterThanOrEqualTo(16);
    Memory column = library.moveChild(0);
    library.releaseOnAThread(library.array);
    assertThat(gpu.memory().bytesOutstanding()).isGreaterThanOrEqualTo(16);
    library.releaseOnAThread(column);
    awaitNothingOutstanding();
  }

  @Test
  void aTableThatIsInUseWhenTheRuntimeIsClosedIsReported() {
    DeviceTable table = numbers();
    export(table);
    table.close();
    List<String> log;
    try (RuntimeLog warnings = RuntimeLog.listen()) {
      gpu.close();
      log = warnings.messages();
    }
    assertThat(log).anyMatch(line -> line.contains("is closed while another library has"));
  }

  @Test
  void anExportThatWasChangedDoesNotComeBack() {
    DeviceTable table = numbers();
    export(table);
    long device = library.array.getLong(80);
    library.array.setLong(8, -1);
    assertThatIllegalArgumentException()
        .isThrownBy(this::adopt)
        .withMessageEndingWith("has the number of nulls -1; it was exported with 0");
    library.array.setLong(8, 0);
    library.array.setLong(80, device);
    table.close();
  }

  @Test
  void theExportOfAnotherRuntimeIsForeign() {
    DeviceTable table = numbers();
    export(table);
    try (DeviceRuntime second = DeviceRuntime.simulated()) {
      DeviceStream there = second.streams().acquire();
      assertThatThrownBy(
              () -> ArrowDevice.adopt(there, library.arrayAddress(), library.schemaAddress()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("memory that the driver does not know");
      assertThatThrownBy(
              () ->
                  ArrowDevice.export(there, table, library.arrayAddress(), library.schemaAddress()))
          .satisfies(misuse(Misuse.OTHER_RUNTIME));
    }
    table.close();
  }

  @Test
  void aClosedTableIsNotExported() {
    DeviceTable table = numbers();
    table.close();
    assertThatThrownBy(() -> export(table)).isInstanceOf(UseAfterFreeException.class);
    assertThat(library.schema.getLong(56)).isZero();
  }

  @Test
  void pageLockedMemoryIsNotExported() {
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4);
        DeviceTable table =
            DeviceTable.of(
                stream,
                Schema.of(ColumnField.of("x", ColumnType.INT32)),
                List.of(DeviceColumn.of(ColumnField.of("x", ColumnType.INT32), host.mapped())),
                4)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> export(table))
          .withMessageContaining("page-locked host memory");
      assertThat(library.schema.getLong(56)).isZero();
    }
  }

  @Test
  void anExportThatTheDriverRefusesLeavesNothing() {
    DeviceTable table = numbers();
    for (DriverCall call : List.of(DriverCall.CREATE_EVENT, DriverCall.RECORD_EVENT)) {
      device.failCall(call, 1, 1);
      assertThatThrownBy(() -> export(table)).isInstanceOf(CudaDriverException.class);
      assertThat(library.array.getLong(64)).isZero();
      assertThat(library.schema.getLong(56)).isZero();
    }
    table.close();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
  }

  @Test
  void anAddressAtWhichNoStructureLiesIsRefused() {
    try (DeviceTable table = numbers()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowDevice.export(stream, table, 0, library.schemaAddress()))
          .withMessage("the pointer to an ArrowDeviceArray is null");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowDevice.export(stream, table, library.arrayAddress(), 7))
          .withMessage("the pointer to an ArrowSchema is 0x7, which is no address of a program");
      assertThatIllegalArgumentException().isThrownBy(() -> ArrowDevice.releaseArray(1));
      assertThatIllegalArgumentException().isThrownBy(() -> ArrowDevice.releaseSchema(0));
    }
  }

  /** Four rows of the number 7. */
  private DeviceTable numbers() {
    DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", ColumnType.INT32)), 4);
    table.column("x", int[].class).values().fill(stream, 7L);
    table.setRows(stream, 4);
    return table;
  }

  /** Waits until all memory came back: that of a closed array whose export ends later, too. */
  private void awaitNothingOutstanding() throws InterruptedException {
    for (int i = 0; i < 10_000; i++) {
      gpu.synchronize();
      gpu.memory().reap();
      if (gpu.memory().bytesOutstanding() == 0) {
        return;
      }
      Thread.sleep(1);
    }
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }
}

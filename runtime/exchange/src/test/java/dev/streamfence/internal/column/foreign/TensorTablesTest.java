package dev.streamfence.internal.column.foreign;

import static dev.streamfence.column.ColumnType.BOOL;
import static dev.streamfence.column.ColumnType.BOOL8;
import static dev.streamfence.column.ColumnType.DATE32;
import static dev.streamfence.column.ColumnType.FLOAT32;
import static dev.streamfence.column.ColumnType.FLOAT64;
import static dev.streamfence.column.ColumnType.INT16;
import static dev.streamfence.column.ColumnType.INT32;
import static dev.streamfence.column.ColumnType.INT64;
import static dev.streamfence.column.ColumnType.INT8;
import static dev.streamfence.column.ColumnType.UINT16;
import static dev.streamfence.column.ColumnType.UINT32;
import static dev.streamfence.column.ColumnType.UINT64;
import static dev.streamfence.column.ColumnType.UINT8;
import static dev.streamfence.column.ColumnType.UTF8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.column.TimestampUnit;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.column.dlpack.ForeignTensor;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables as tensors, and of tensors. */
final class TensorTablesTest {
  private static final TensorConsumer CONSUMER = TensorConsumer.onStream(1).understanding(1, 1);

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final SimulatedLibrary torch = device.library("torch");
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    if (gpu.isOpen()) {
      awaitNothingOutstanding();
    }
    gpu.close();
    assertThat(device.liveObjects()).isZero();
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

  static List<Arguments> types() {
    return List.of(
        Arguments.of(BOOL8, "bool8"),
        Arguments.of(INT8, "int8"),
        Arguments.of(INT16, "int16"),
        Arguments.of(INT32, "int32"),
        Arguments.of(INT64, "int64"),
        Arguments.of(UINT8, "uint8"),
        Arguments.of(UINT16, "uint16"),
        Arguments.of(UINT32, "uint32"),
        Arguments.of(UINT64, "uint64"),
        Arguments.of(FLOAT32, "float32"),
        Arguments.of(FLOAT64, "float64"),
        Arguments.of(DATE32, "int32"),
        Arguments.of(ColumnType.timestamp(TimestampUnit.MICROSECOND), "int64"),
        Arguments.of(ColumnType.decimal(12, 2), "int64"));
  }

  @ParameterizedTest
  @MethodSource("types")
  void aColumnOfEachTypeGoesOutAndComesBackWithoutACopy(ColumnType type, String element) {
    Schema schema = Schema.of(ColumnField.of("x", type));
    DeviceTable table = DeviceTable.allocate(stream, schema, 4);
    table.setRows(stream, 4);
    long address = DlPack.export(stream, table, CONSUMER).get(0).handOver();
    ForeignTensor tensor = DlPack.versionedTensor(address);
    assertThat(tensor.elementType()).isEqualTo(element);
    DeviceTable back = DlPack.adopt(stream, schema, List.of(tensor), TensorProducer.done());
    assertThat(back.rows(stream)).isEqualTo(4);
    assertThat(back.column("x").origin()).isEqualTo(ColumnOrigin.DLPACK_EXPORT);
    assertThat(back.column("x").isExternal()).isFalse();
    assertThat(Inside.allocation(back.column("x").values()))
        .isSameAs(Inside.allocation(table.column("x").values()));
    assertThat(device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isZero();
    back.close();
    table.close();
  }

  @Test
  void tensorsHaveTheLogicalRows() {
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", INT32)), 4)) {
      table.setRows(stream, 2);
      ForeignTensor tensor =
          DlPack.versionedTensor(DlPack.export(stream, table, CONSUMER).get(0).handOver());
      assertThat(tensor.shape()).containsExactly(2L);
      tensor.delete();
    }
  }

  @Test
  void moreLogicalRowsThanTheTableHasRoomForAreRefused() {
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", INT32)), 2)) {
      table.rowCount().fill(stream, 4L);
      assertThatIllegalStateException()
          .isThrownBy(() -> DlPack.export(stream, table, CONSUMER))
          .withMessageContaining("4 logical rows")
          .withMessageContaining("room for 2 rows");
    }
  }

  @Test
  void anExportedTableMayBeClosed() {
    DeviceTable table = DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", INT32)), 2);
    table.column("x", int[].class).values().fill(stream, 7L);
    table.setRows(stream, 2);
    ForeignTensor tensor =
        DlPack.versionedTensor(DlPack.export(stream, table, CONSUMER).get(0).handOver());
    table.close();
    try (DeviceArray<int[]> array = tensor.adopt(stream, int[].class, TensorProducer.done())) {
      assertThat(array.download(stream)).containsExactly(7, 7);
    }
  }

  @Test
  void nullsTextAndBitsAreNoTensors() {
    try (DeviceTable nulls =
        DeviceTable.allocate(stream, Schema.of(ColumnField.nullable("x", INT32)), 4)) {
      nulls.column("x", int[].class).validity().fill(stream, 5L);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(stream, nulls, CONSUMER))
          .withMessageContaining("'x'")
          .withMessageContaining("may have nulls");
    }
    Schema both = Schema.of(ColumnField.of("i", INT32), ColumnField.of("b", BOOL));
    try (DeviceTable bits = DeviceTable.allocate(stream, both, 4)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DlPack.export(stream, bits, CONSUMER))
          .withMessageStartingWith("column 'b' (bool) cannot be a tensor");
    }
  }

  @Test
  void aNullableColumnWithoutNullsIsATensor() {
    try (DeviceTable table =
        DeviceTable.allocate(stream, Schema.of(ColumnField.nullable("x", INT32)), 4)) {
      DlPack.export(stream, table, CONSUMER).forEach(ExportedTensor::close);
    }
  }

  @Test
  void theTensorsOfALibraryAreATable() throws InterruptedException {
    TensorLibrary library = new TensorLibrary(torch::free);
    List<ForeignTensor> tensors = foreign(library, 6, 6);
    DeviceTable table = DlPack.adopt(stream, floats(2), tensors, TensorProducer.done());
    assertThat(table.capacity()).isEqualTo(6);
    assertThat(table.rows(stream)).isEqualTo(6);
    DeviceColumn<float[]> column = table.column(1, float[].class);
    assertThat(column.origin()).isEqualTo(ColumnOrigin.DLPACK);
    assertThat(column.isExternal()).isTrue();
    assertThat(column.slice(1, 2).isExternal()).isTrue();
    assertThat(library.deletions()).isZero();
    table.close();
    gpu.synchronize();
    gpu.close();
    library.awaitDeletions(2);
  }

  @Test
  void usesOfItsColumnsOnTwoStreamsAreOrdered() {
    TensorLibrary library = new TensorLibrary(torch::free);
    DeviceStream other = gpu.streams().acquire();
    List<ForeignTensor> tensors = foreign(library, 6);
    try (DeviceTable table = DlPack.adopt(stream, floats(1), tensors, TensorProducer.done())) {
      DeviceArray<float[]> values = table.column(0, float[].class).values();
      values.fill(stream, 2f);
      assertThat(values.download(other)).containsOnly(2f);
      values.view(0, 3).fill(other, 3f);
      assertThat(values.download(stream)).containsExactly(3f, 3f, 3f, 2f, 2f, 2f);
    }
  }

  @Test
  void aReadOnlyTensorIsAReadOnlyColumn() {
    TensorLibrary library = new TensorLibrary(torch::free);
    long data = torch.allocate(24);
    ForeignTensor tensor = vector(library, data, 6, TensorLibrary.READ_ONLY);
    DeviceTable table = DlPack.adopt(stream, floats(1), List.of(tensor), TensorProducer.done());
    assertThat(table.column("0").isReadOnly()).isTrue();
    assertThatIllegalArgumentException().isThrownBy(() -> table.column("0", float[].class));
    assertThat(table.readable("0", float[].class).length()).isEqualTo(6);
    table.close();
  }

  @Test
  void noTensorsAreAnEmptyTable() {
    try (DeviceTable table = DlPack.adopt(stream, Schema.of(), List.of(), TensorProducer.done())) {
      assertThat(table.isEmpty(stream)).isTrue();
      assertThat(table.columns()).isEmpty();
    }
  }

  @Test
  void tensorsThatDoNotFitAreAllStillTheirOwners() {
    TensorLibrary library = new TensorLibrary(torch::free);
    List<ForeignTensor> tensors = foreign(library, 6, 5);
    refused(floats(2), tensors, "has 5 rows; the tensors before it have 6");
    refused(floats(1), tensors, "2 tensors for a schema of 1 fields");
    refused(
        Schema.of(ColumnField.of("a", FLOAT32), ColumnField.of("b", FLOAT64)),
        tensors,
        "for field 'b' (float64) has elements of type float32, not float64");
    refused(
        Schema.of(ColumnField.of("a", FLOAT32), ColumnField.of("b", INT32)),
        tensors,
        "for field 'b' (int32) has elements of type float32, not int32");
    refused(
        Schema.of(ColumnField.of("a", FLOAT32), ColumnField.of("b", UTF8)),
        tensors,
        "column 'b' (utf8) cannot be a tensor");
    refused(
        Schema.of(
            ColumnField.of("a", FLOAT32),
            ColumnField.of("b", ColumnType.dictionary(ColumnType.INT32))),
        tensors,
        "a tensor brings no dictionary");
    assertThat(library.deletions()).isZero();
    tensors.forEach(ForeignTensor::delete);
  }

  private void refused(Schema schema, List<ForeignTensor> tensors, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DlPack.adopt(stream, schema, tensors, TensorProducer.done()))
        .withMessageContaining(message);
  }

  @Test
  void aMatrixIsNoColumn() {
    TensorLibrary library = new TensorLibrary(torch::free);
    ForeignTensor matrix = DlPack.tensor(library.legacy(torch.allocate(24), 0, 2, 3));
    refused(floats(1), List.of(matrix), "has the shape [2, 3]; a column has one dimension");
    matrix.delete();
  }

  @Test
  void tensorsOfAFailedAdoptionAreAllStillTheirOwners() throws InterruptedException {
    TensorLibrary library = new TensorLibrary(torch::free);
    List<ForeignTensor> tensors = foreign(library, 6, 6, 6);
    device.failCall(DriverCall.POINTER_INFO, 3, 1);
    assertThatThrownBy(() -> DlPack.adopt(stream, floats(3), tensors, TensorProducer.done()))
        .hasMessageContaining("adopting");
    // The second is that of the attempt after waiting for frees.
    device.failCall(DriverCall.ALLOCATE_ASYNC, 1, 2);
    device.failCall(DriverCall.ALLOCATE_ASYNC, 2, 2);
    assertThatThrownBy(() -> DlPack.adopt(stream, floats(3), tensors, TensorProducer.done()))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    gpu.synchronize();
    assertThat(library.deletions()).isZero();
    assertThat(gpu.memory().statistics().adoptedBytes()).isZero();
    DlPack.adopt(stream, floats(3), tensors, TensorProducer.done()).close();
    gpu.close();
    library.awaitDeletions(3);
  }

  @Test
  void anExportOfWhichOneColumnFailsLeavesNothing() {
    long theirs = torch.createStream();
    Schema schema = Schema.of(ColumnField.of("a", INT32), ColumnField.of("b", INT32));
    try (DeviceTable table = DeviceTable.allocate(stream, schema, 4)) {
      table.setRows(stream, 4);
      table.column("a", int[].class).values().fill(stream, 1L);
      // On another stream, so that the export waits for two events.
      table.column("b", int[].class).values().fill(gpu.streams().acquire(), 2L);
      TensorConsumer consumer = TensorConsumer.onStream(theirs).understanding(1, 1);
      device.failCall(DriverCall.WAIT_FOR_EVENT, 2, 1);
      assertThatThrownBy(() -> DlPack.export(stream, table, consumer))
          .isInstanceOf(CudaDriverException.class);
    }
  }

  @Test
  void signsOfIntegersMayDiffer() {
    DeviceTable table = DeviceTable.allocate(stream, Schema.of(ColumnField.of("x", UINT32)), 4);
    table.setRows(stream, 4);
    ForeignTensor tensor =
        DlPack.versionedTensor(DlPack.export(stream, table, CONSUMER).get(0).handOver());
    DlPack.adopt(
            stream, Schema.of(ColumnField.of("x", INT32)), List.of(tensor), TensorProducer.done())
        .close();
    table.close();
  }

  /** Vectors of floats, each in memory of its own. */
  private List<ForeignTensor> foreign(TensorLibrary library, long... lengths) {
    List<ForeignTensor> tensors = new ArrayList<>();
    for (long length : lengths) {
      tensors.add(vector(library, torch.allocate(4 * length), length, 0));
    }
    return tensors;
  }

  private static ForeignTensor vector(TensorLibrary library, long data, long length, long flags) {
    return DlPack.versionedTensor(library.vector(data, length, flags));
  }

  private static Schema floats(int columns) {
    List<ColumnField> fields = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      fields.add(ColumnField.of("" + i, FLOAT32));
    }
    return new Schema(fields);
  }
}

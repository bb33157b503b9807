package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.SimulatedDevice;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tables of Arrow Java on the device: what is there, and what is refused. */
final class ArrowTablesTest {
  private static final ArrowType INT32 = new ArrowType.Int(32, true);

  @RegisterExtension final ArrowDevice on = new ArrowDevice();
  private final SimulatedDevice device = on.device;
  private final BufferAllocator allocator = on.allocator;
  private final DeviceRuntime gpu = on.gpu;
  private final DeviceStream stream = on.stream;

  @Test
  void vectorsLieOnTheDeviceAsArrowLaysThemOut() {
    try (VarCharVector text = Vectors.words("t", allocator, "ab", "", "größe");
        IntVector numbers = new IntVector("i", allocator)) {
      numbers.allocateNew(3);
      numbers.set(0, 7);
      numbers.setNull(1);
      numbers.set(2, -9);
      numbers.setValueCount(3);
      VectorSchemaRoot root = VectorSchemaRoot.of(text, numbers);
      root.setRowCount(3);
      try (DeviceTable table = ArrowTables.upload(stream, root)) {
        assertThat(table.schema()).hasToString("(t: utf8, i: int32)");
        DeviceColumn<byte[]> words = table.column("t", byte[].class);
        assertThat(words.offsets().download(stream)).containsExactly(0, 2, 2, 9);
        assertThat(words.values().length()).isEqualTo(9);
        assertThat(words.nullCount()).hasValue(0);
        DeviceColumn<int[]> ints = table.column("i", int[].class);
        assertThat(ints.values().download(stream, 0, 1)).containsExactly(7);
        assertThat(ints.values().download(stream, 2, 1)).containsExactly(-9);
        assertThat(ints.validity().download(stream)[0] & 0b111).isEqualTo(0b101);
      }
    }
  }

  @Test
  void anUploadCopiesEachByteOnceAndOnlyItsOwn() {
    try (VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 1000, 0);
        DeviceTable table = ArrowTables.upload(stream, root)) {
      assertThat(gpu.memory().statistics().uploadedBytes()).isEqualTo(4000);
      assertThat(table.sizeInBytes()).isEqualTo(4000);
      ArrowTables.download(stream, allocator, table).close();
      assertThat(gpu.memory().statistics().downloadedBytes()).isEqualTo(4000);
    }
  }

  @Test
  void anUploadIsDrawnFromAReservation() {
    long bytes = 4 * 1000 + Integer.BYTES;
    try (MemoryReservation reservation = gpu.memory().reserve(bytes);
        VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 1000, 0);
        DeviceTable table =
            ArrowTables.upload(stream, reservation, root, new MapDictionaryProvider())) {
      assertThat(table.capacity()).isEqualTo(1000);
      assertThat(reservation.remainingBytes()).isZero();
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(bytes);
    }
  }

  @Test
  void theVectorsMayChangeAfterTheUpload() {
    VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 100, 0);
    List<Object> rows = Vectors.rows(root.getVector(0));
    try (DeviceTable table = ArrowTables.upload(stream, root)) {
      IntVector vector = (IntVector) root.getVector(0);
      vector.set(0, 42);
      root.close();
      try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
        assertThat(Vectors.rows(back.getVector(0))).isEqualTo(rows);
      }
    }
  }

  @Test
  void whatIsDownloadedIsWhatTheDeviceHasComputed() {
    try (VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 4, 2);
        DeviceTable table = ArrowTables.upload(stream, root);
        DeviceStream other = gpu.streams().acquire()) {
      table.column("x", int[].class).values().fill(other, 5);
      try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
        assertThat(Vectors.rows(back.getVector(0))).containsExactly(5, null, 5, null);
      }
    }
  }

  @Test
  void tablesWithoutColumnsKeepTheirRows() {
    VectorSchemaRoot root = new VectorSchemaRoot(List.of(), List.of(), 7);
    try (DeviceTable table = ArrowTables.upload(stream, root);
        VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
      assertThat(back.getRowCount()).isEqualTo(7);
      assertThat(back.getFieldVectors()).isEmpty();
    }
  }

  /** Arrow Java lets a field have no name at all, which is the same as an empty one. */
  @Test
  void aFieldWhoseNameIsMissingIsAColumnWithoutAName() {
    Field field = new Field(null, FieldType.nullable(INT32), null);
    try (IntVector vector = new IntVector(field, allocator)) {
      vector.allocateNew(1);
      vector.set(0, 7);
      vector.setValueCount(1);
      VectorSchemaRoot root = VectorSchemaRoot.of(vector);
      try (DeviceTable table = ArrowTables.upload(stream, root)) {
        assertThat(table.schema().field(0).name()).isEmpty();
        vector.set(0, 8);
        ArrowTables.downloadInto(stream, table, root);
        assertThat(vector.get(0)).isEqualTo(7);
      }
    }
  }

  @Test
  void columnsOfOneNameAndNoNameComeBack() {
    try (IntVector one = new IntVector("", allocator);
        IntVector two = new IntVector("", allocator)) {
      for (IntVector each : List.of(one, two)) {
        each.allocateNew(1);
        each.set(0, each == one ? 1 : 2);
        each.setValueCount(1);
      }
      VectorSchemaRoot root = VectorSchemaRoot.of(one, two);
      root.setRowCount(1);
      try (DeviceTable table = ArrowTables.upload(stream, root);
          VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
        assertThat(Vectors.rows(back.getVector(0))).containsExactly(1);
        assertThat(Vectors.rows(back.getVector(1))).containsExactly(2);
      }
    }
  }

  @Test
  void fieldsThatAreNotNullableStaySo() {
    try (VectorSchemaRoot root = Vectors.table(allocator, Vectors.notNullable("x", INT32), 9, 0);
        DeviceTable table = ArrowTables.upload(stream, root);
        VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
      assertThat(table.schema().field(0)).isEqualTo(ColumnField.of("x", ColumnType.INT32));
      assertThat(back.getSchema()).isEqualTo(root.getSchema());
      assertThat(Vectors.rows(back.getVector(0))).isEqualTo(Vectors.rows(root.getVector(0)));
    }
  }

  @Test
  void nullsInAFieldThatIsNotNullableAreRefused() {
    try (VectorSchemaRoot root =
        Vectors.table(allocator, Vectors.notNullable("größe", INT32), 9, 3)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.upload(stream, root))
          .withMessage("field 'größe' is not nullable, and 3 of its rows are null");
    }
  }

  @Test
  void decimalsBeyond64BitsAreRefusedWithTheRow() {
    ArrowType type = new ArrowType.Decimal(18, 2, 128);
    try (VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("price", type), 9, 0)) {
      DecimalVector vector = (DecimalVector) root.getVector(0);
      ArrowBuf data = vector.getDataBuffer();
      data.setLong(7 * 16L, 5);
      data.setLong(7 * 16L + 8, 1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.upload(stream, root))
          .withMessage(
              "row 7 of field 'price' is 184467440737095516.21, which does not fit"
                  + " decimal64(18, 2)");
      data.setLong(7 * 16L, -5);
      data.setLong(7 * 16L + 8, 0);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.upload(stream, root))
          .withMessageContaining("row 7");
      BitVectorHelper.unsetBit(vector.getValidityBuffer(), 7);
      try (DeviceTable table = ArrowTables.upload(stream, root)) {
        assertThat(table.column("price", long[].class).values().download(stream, 7, 1))
            .as("what a null has there does not matter")
            .containsExactly(0);
      }
    }
  }

  @Test
  void decimalsKeepTheirSignAndEveryDigit() {
    BigDecimal most = new BigDecimal("9999999999999999.99");
    List<BigDecimal> values =
        List.of(most, most.negate(), new BigDecimal("0.00"), new BigDecimal("-0.01"));
    try (DecimalVector vector = new DecimalVector("d", allocator, 18, 2)) {
      vector.allocateNew(values.size());
      for (int i = 0; i < values.size(); i++) {
        vector.set(i, values.get(i));
      }
      vector.setValueCount(values.size());
      VectorSchemaRoot root = VectorSchemaRoot.of(vector);
      root.setRowCount(values.size());
      try (DeviceTable table = ArrowTables.upload(stream, root);
          VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
        assertThat(table.column(0, long[].class).values().download(stream))
            .containsExactly(999_999_999_999_999_999L, -999_999_999_999_999_999L, 0, -1);
        assertThat(Vectors.rows(back.getVector(0))).isEqualTo(values);
      }
    }
  }

  /** In a process of its own, whose heap has room for the simulated device. */
  @Tag("exhaustive")
  @Test
  void aVectorBeyondTwoGibibytesArrivesWhole() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx3g",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-Dio.netty.noUnsafe=false",
                "-cp",
                System.getProperty("java.class.path"),
                LargeVectorProgram.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  @Test
  void aClosedTableOfArrowIsRefused() {
    VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 9, 3);
    root.close();
    root.setRowCount(0);
    VectorSchemaRoot again = Vectors.table(allocator, Vectors.nullable("x", INT32), 9, 3);
    again.close();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ArrowTables.upload(stream, again))
        .withMessage(
            "the vector of field 'x' has 0 rows, the table has 9; a closed vector has none");
    ArrowTables.upload(stream, root).close();
  }

  @Test
  void buffersThatAreTooShortAreRefused() {
    try (IntVector vector = new IntVector("x", allocator);
        ArrowBuf none = allocator.buffer(0);
        ArrowBuf eight = allocator.buffer(8)) {
      vector.loadFieldBuffers(new ArrowFieldNode(9, 0), List.of(none, eight));
      VectorSchemaRoot root = new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), 9);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.upload(stream, root))
          .withMessage("a buffer of field 'x' has 8 bytes; its rows take 36");
    }
  }

  @Test
  void aClosedDeviceTableIsRefused() {
    DeviceTable table = DeviceTable.allocate(stream, Schema.of(), 0);
    table.close();
    assertThatThrownBy(() -> ArrowTables.download(stream, allocator, table))
        .isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void aClosedAllocatorIsRefusedByArrowAndNothingLeaks() {
    BufferAllocator closed = new RootAllocator();
    closed.close();
    try (VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 9, 3);
        DeviceTable table = ArrowTables.upload(stream, root)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> ArrowTables.download(stream, closed, table))
          .withMessageContaining("closed");
      assertThat(closed.getAllocatedMemory()).isZero();
      ArrowTables.download(stream, allocator, table).close();
    }
  }

  @Test
  void anAllocatorThatIsTooSmallLeavesNothing() {
    try (BufferAllocator small = allocator.newChildAllocator("small", 0, 3000);
        VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 1000, 3);
        DeviceTable table = ArrowTables.upload(stream, root)) {
      assertThatThrownBy(() -> ArrowTables.download(stream, small, table))
          .isInstanceOf(org.apache.arrow.memory.OutOfMemoryException.class);
      assertThat(small.getAllocatedMemory()).isZero();
    }
  }

  @Test
  void offsetsThatTheDeviceHasBrokenAreRefused() {
    try (VarCharVector text = Vectors.words("t", allocator, "ab", "cd", "ef")) {
      VectorSchemaRoot root = VectorSchemaRoot.of(text);
      root.setRowCount(3);
      try (DeviceTable table = ArrowTables.upload(stream, root)) {
        DeviceArray<int[]> offsets = table.column("t", byte[].class).offsets();
        for (int[] broken : new int[][] {{0, 4, 2, 6}, {0, 2, 4, 7}, {-1, 2, 4, 6}}) {
          offsets.upload(stream, broken);
          assertThatIllegalStateException()
              .isThrownBy(() -> ArrowTables.download(stream, allocator, table))
              .withMessageContaining("column 't' (utf8) of 3 rows")
              .withMessageContaining("the text has 6 bytes");
        }
        offsets.upload(stream, new int[] {1, 1, 4, 5});
        try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
          assertThat(Vectors.rows(back.getVector(0)).stream().map(String::valueOf))
              .containsExactly("", "bcd", "e");
        }
      }
    }
  }

  @Test
  void moreRowsThanAVectorHasAreRefused() {
    try (DeviceTable table = DeviceTable.of(stream, Schema.of(), List.of(), 1L << 31)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ArrowTables.download(stream, allocator, table))
          .withMessageContaining("2147483648 logical rows; a vector has at most 2147483647");
    }
  }

  @Test
  void whileDownloadsAreRefusedNothingIsAllocated() {
    try (VectorSchemaRoot root = Vectors.table(allocator, Vectors.nullable("x", INT32), 9, 3);
        DeviceTable table = ArrowTables.upload(stream, root)) {
      long before = allocator.getAllocatedMemory();
      gpu.memory().refuseDownloads(true);
      assertThatIllegalStateException()
          .isThrownBy(() -> ArrowTables.download(stream, allocator, table));
      assertThat(allocator.getAllocatedMemory()).isEqualTo(before);
    }
  }

  @Test
  void flagsOfAByteAreDownloadedAsSuch() {
    try (DeviceTable table =
        DeviceTable.of(
            stream,
            Schema.of(ColumnField.nullable("f", ColumnType.BOOL8)),
            List.of(
                DeviceColumn.of(
                    ColumnField.of("f", ColumnType.BOOL8),
                    gpu.memory().upload(stream, new boolean[] {true, false, true}))),
            3)) {
      try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
        assertThat(back.getSchema().getFields()).containsExactly(Vectors.bool8("f"));
        assertThat(Vectors.rows(back.getVector(0)))
            .isEqualTo(Arrays.asList((byte) 1, (byte) 0, (byte) 1));
      }
    }
  }
}

package dev.streamfence.internal.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.Schema;
import dev.streamfence.column.TimestampUnit;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that are uploaded from Java arrays, and downloaded to them. */
final class HostColumnsTest {
  private final SimulatedDevice device =
      SimulatedDevice.builder().checkUninitializedReads(true).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() {
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static final Schema EVERY_TYPE =
      Schema.of(
          ColumnField.of("bool", ColumnType.BOOL),
          ColumnField.nullable("bool8", ColumnType.BOOL8),
          ColumnField.of("int8", ColumnType.INT8),
          ColumnField.of("int16", ColumnType.INT16),
          ColumnField.nullable("int32", ColumnType.INT32),
          ColumnField.of("int64", ColumnType.INT64),
          ColumnField.of("uint8", ColumnType.UINT8),
          ColumnField.of("uint16", ColumnType.UINT16),
          ColumnField.of("uint32", ColumnType.UINT32),
          ColumnField.of("uint64", ColumnType.UINT64),
          ColumnField.of("float32", ColumnType.FLOAT32),
          ColumnField.of("float64", ColumnType.FLOAT64),
          ColumnField.of("date32", ColumnType.DATE32),
          ColumnField.of("timestamp", ColumnType.timestamp(TimestampUnit.SECOND)),
          ColumnField.of("decimal", ColumnType.decimal(18, 2)),
          ColumnField.nullable("utf8", ColumnType.UTF8));

  private static final Object[] EVERY_ARRAY = {
    new boolean[] {true, false, true},
    new boolean[] {false, true, true},
    new byte[] {1, -2, 3},
    new short[] {4, -5, 6},
    new int[] {7, -8, 9},
    new long[] {10, -11, 12},
    new byte[] {13, -14, 15},
    new char[] {16, 0xFFFF, 18},
    new int[] {19, -20, 21},
    new long[] {22, -23, 24},
    new float[] {1.5f, -2.5f, Float.NaN},
    new double[] {3.5, -4.5, Double.NaN},
    new int[] {25, -26, 27},
    new long[] {28, -29, 30},
    new long[] {31, -32, 33},
    new String[] {"", null, "größer"},
  };

  @Test
  void everyTypeComesBackAsItWasUploaded() {
    try (DeviceTable table = DeviceTable.upload(stream, EVERY_TYPE, EVERY_ARRAY)) {
      assertThat(table.capacity()).isEqualTo(3);
      assertThat(table.knownRows()).hasValue(3);
      assertThat(table.download(stream)).isEqualTo(EVERY_ARRAY);
      assertThat(table.downloadValidity(stream, "utf8")).containsExactly(true, false, true);
      assertThat(table.downloadValidity(stream, "int32")).containsOnly(true);
      assertThat(table.downloadValidity(stream, "int64")).hasSize(3).containsOnly(true);
      assertThat(table.column("utf8").nullCount()).hasValue(1);
      assertThat(table.column("int32").nullCount()).hasValue(0);
    }
  }

  @Test
  void aDownloadIsAnUpload() {
    try (DeviceTable table = DeviceTable.upload(stream, EVERY_TYPE, EVERY_ARRAY);
        DeviceTable again = DeviceTable.upload(stream, EVERY_TYPE, table.download(stream))) {
      assertThat(again.download(stream)).isEqualTo(EVERY_ARRAY);
    }
  }

  @Test
  void aTableWithoutRowsOrColumnsIsUploaded() {
    Schema schema =
        Schema.of(
            ColumnField.of("flag", ColumnType.BOOL), ColumnField.nullable("name", ColumnType.UTF8));
    try (DeviceTable empty = DeviceTable.upload(stream, schema, new boolean[0], new String[0]);
        DeviceTable none = DeviceTable.upload(stream, Schema.of())) {
      assertThat(empty.rows(stream)).isZero();
      assertThat(empty.download(stream)).isEqualTo(new Object[] {new boolean[0], new String[0]});
      assertThat(empty.downloadValidity(stream, "name")).isEmpty();
      assertThat(none.capacity()).isZero();
      assertThat(none.download(stream)).isEmpty();
    }
  }

  @Test
  void onlyTheLogicalRowsAreDownloaded() {
    Schema schema =
        Schema.of(ColumnField.of("key", ColumnType.INT32), ColumnField.of("name", ColumnType.UTF8));
    try (DeviceTable table =
        DeviceTable.upload(stream, schema, new int[] {1, 2, 3}, new String[] {"a", "bc", "d"})) {
      table.setRows(stream, 2);
      assertThat(table.download(stream, "key", int[].class)).containsExactly(1, 2);
      assertThat(table.download(stream, "name", String[].class)).containsExactly("a", "bc");
      table.rowCount().upload(stream, new int[] {1});
      assertThat(table.download(stream, "key", int[].class)).containsExactly(1);
      table.setRows(stream, 0);
      assertThat(table.download(stream, "name", String[].class)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 8, 13})
  void theRowsOfASliceAreDownloaded(int from) {
    int count = 9;
    Random random = new Random(from);
    boolean[] flags = new boolean[32];
    String[] names = new String[32];
    for (int row = 0; row < flags.length; row++) {
      flags[row] = random.nextBoolean();
      names[row] = random.nextBoolean() ? "x".repeat(random.nextInt(5)) + row : null;
    }
    Schema schema =
        Schema.of(
            ColumnField.of("flag", ColumnType.BOOL), ColumnField.nullable("name", ColumnType.UTF8));
    try (DeviceTable table = DeviceTable.upload(stream, schema, flags, names);
        DeviceTable slice = table.slice(stream, from, count)) {
      String[] expected = Arrays.copyOfRange(names, from, from + count);
      assertThat(slice.download(stream, "flag", boolean[].class))
          .containsExactly(Arrays.copyOfRange(flags, from, from + count));
      assertThat(slice.download(stream, "name", String[].class)).containsExactly(expected);
      boolean[] valid = slice.downloadValidity(stream, "name");
      for (int row = 0; row < count; row++) {
        assertThat(valid[row]).isEqualTo(expected[row] != null);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8, true",
    "16, true",
    "32, true",
    "64, true",
    "8, false",
    "16, false",
    "32, false",
    "64, false"
  })
  void aDictionaryIsDownloadedAsText(int bits, boolean isSigned) {
    PlainType index = PlainType.integer(bits, isSigned);
    int rows = index == ColumnType.INT8 ? 100 : 200;
    String[] words = new String[rows];
    Arrays.setAll(words, i -> "word " + i);
    Object numbers = java.lang.reflect.Array.newInstance(index.arrayType().componentType(), rows);
    for (int row = 0; row < rows; row++) {
      int number = rows - 1 - row;
      switch (isSigned || bits != 16 ? bits : 0) {
        case 0 -> java.lang.reflect.Array.setChar(numbers, row, (char) number);
        case 8 -> java.lang.reflect.Array.setByte(numbers, row, (byte) number);
        case 16 -> java.lang.reflect.Array.setShort(numbers, row, (short) number);
        case 32 -> java.lang.reflect.Array.setInt(numbers, row, number);
        default -> java.lang.reflect.Array.setLong(numbers, row, number);
      }
    }
    Schema text = Schema.of(ColumnField.of("word", ColumnType.UTF8));
    ColumnField field = ColumnField.of("word", ColumnType.dictionary(index));
    try (DeviceTable dictionary = DeviceTable.upload(stream, text, (Object) words);
        DeviceTable table =
            DeviceTable.of(
                stream,
                Schema.of(field),
                List.of(
                    DeviceColumn.ofDictionary(
                        field,
                        gpu.memory().upload(stream, numbers),
                        gpu.memory().allocate(stream, byte[].class, 0),
                        dictionary.column(0, byte[].class).slice(0, rows))),
                rows)) {
      String[] seen = table.download(stream, "word", String[].class);
      assertThat(seen).hasSize(rows).startsWith(words[rows - 1]).endsWith(words[0]);
    }
  }

  @Test
  void aNumberThatIsNoRowOfTheDictionaryIsRefused() {
    ColumnField field = ColumnField.of("word", ColumnType.dictionary(ColumnType.INT32));
    Schema text = Schema.of(ColumnField.of("word", ColumnType.UTF8));
    for (int wrong : new int[] {-1, 2}) {
      try (DeviceTable dictionary =
              DeviceTable.upload(stream, text, (Object) new String[] {"a", "b"});
          DeviceTable table =
              DeviceTable.of(
                  stream,
                  Schema.of(field),
                  List.of(
                      DeviceColumn.ofDictionary(
                          field,
                          gpu.memory().upload(stream, new int[] {0, wrong}),
                          gpu.memory().allocate(stream, byte[].class, 0),
                          dictionary.column(0, byte[].class).slice(0, 2))),
                  2)) {
        assertThatIllegalStateException()
            .isThrownBy(() -> table.download(stream))
            .withMessageContaining("row 1 of column 'word'")
            .withMessageContaining("is row " + wrong + " of a dictionary of 2 rows");
      }
    }
  }

  @Test
  void offsetsThatAKernelHasWrittenOutOfOrderAreRefused() {
    Schema schema = Schema.of(ColumnField.of("name", ColumnType.UTF8));
    for (int[] offsets : new int[][] {{0, 3, 2}, {0, 1, 4}, {-1, 1, 2}}) {
      try (DeviceTable table =
          DeviceTable.upload(stream, schema, (Object) new String[] {"a", "bc"})) {
        table.column("name", byte[].class).offsets().upload(stream, offsets);
        assertThatIllegalStateException()
            .isThrownBy(() -> table.download(stream))
            .withMessageContaining("of column 'name'")
            .withMessageContaining("in text of 3 bytes");
      }
    }
  }

  @Test
  void arraysThatDoNotFitTheSchemaAreRefusedByColumn() {
    Schema schema =
        Schema.of(ColumnField.of("key", ColumnType.INT32), ColumnField.of("name", ColumnType.UTF8));
    long requests = gpu.memory().statistics().allocationRequests();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.upload(stream, schema, new int[1]))
        .withMessageContaining("1 arrays for 2 columns");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.upload(stream, schema, new long[1], new String[1]))
        .withMessage("column 'key' (int32) is uploaded from int[], not from long[]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.upload(stream, schema, new int[1], new String[2]))
        .withMessage("column 'name' (utf8) has 2 rows, but column 'key' (int32) has 1");
    assertThatNullPointerException()
        .isThrownBy(() -> DeviceTable.upload(stream, schema, new int[1], null))
        .withMessage("column 'name' (utf8)");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                DeviceTable.upload(
                    stream,
                    Schema.of(ColumnField.of("word", ColumnType.dictionary(ColumnType.INT8))),
                    (Object) new String[1]))
        .withMessageContaining("make it by DeviceColumn.ofDictionary");
    assertThat(gpu.memory().statistics().allocationRequests()).isEqualTo(requests);
  }

  @Test
  void aNullInAFieldThatHasNoneIsRefusedByRow() {
    Schema schema =
        Schema.of(ColumnField.of("key", ColumnType.INT32), ColumnField.of("name", ColumnType.UTF8));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> DeviceTable.upload(stream, schema, new int[] {1, 2}, new String[] {"a", null}))
        .withMessage("row 1 of column 'name' (utf8) is null");
  }

  @Test
  void halfOfACharacterIsRefusedByRow() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                DeviceTable.upload(
                    stream,
                    Schema.of(ColumnField.of("name", ColumnType.UTF8)),
                    (Object) new String[] {"a", "\ud83d"}))
        .withMessage("row 1 of column 'name' (utf8) has half of a character");
  }

  @Test
  void textThatIsTooLongIsRefusedBeforeItIsEncoded() {
    String[] texts = new String[130];
    Arrays.fill(texts, "x".repeat(1 << 24));
    texts[0] = "\uD800"; // Half of a character, for which the encoder refuses it.
    Schema schema = Schema.of(ColumnField.of("name", ColumnType.UTF8));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceTable.upload(stream, schema, (Object) texts))
        .withMessage("the text of column 'name' (utf8) reaches 2 GiB by row 128; split the table");
  }

  @Test
  void aSingleArrayOfTextIsAColumn() {
    Schema schema = Schema.of(ColumnField.of("name", ColumnType.UTF8));
    try (DeviceTable table =
            DeviceTable.upload(stream, schema, (Object[]) new String[] {"a", "b", "c"});
        DeviceTable one = DeviceTable.upload(stream, schema, (Object[]) new String[] {"a"})) {
      assertThat(table.download(stream, "name", String[].class)).containsExactly("a", "b", "c");
      assertThat(one.download(stream, "name", String[].class)).containsExactly("a");
    }
  }

  @Test
  void aDownloadToAnotherTypeOfArrayIsRefused() {
    try (DeviceTable table =
        DeviceTable.upload(
            stream, Schema.of(ColumnField.of("name", ColumnType.UTF8)), (Object) new String[0])) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.download(stream, "name", byte[].class))
          .withMessageContaining("is downloaded to String[], not to byte[]");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> table.download(stream, "size", int[].class))
          .withMessageContaining("no field is named 'size'");
    }
  }

  @Test
  void anUploadThatFailsLeavesNothing() {
    long before = device.calls();
    DeviceTable whole = DeviceTable.upload(stream, EVERY_TYPE, EVERY_ARRAY);
    long calls = device.calls() - before;
    whole.close();
    int failed = 0;
    for (long nth = 1; nth <= calls; nth++) {
      device.failCall(nth, 1);
      try {
        DeviceTable.upload(stream, EVERY_TYPE, EVERY_ARRAY).close();
      } catch (CudaDriverException e) {
        failed++;
      }
      assertThat(device.pendingFailures()).isEmpty();
      assertThat(gpu.memory().statistics().liveBytes()).as("call %s", nth).isZero();
    }
    assertThat(failed).isGreaterThan(20);
  }

  @Test
  void aTableIsUploadedFromAReservation() {
    Schema schema = Schema.of(ColumnField.of("key", ColumnType.INT32));
    try (MemoryReservation room = gpu.memory().reserve(4 * 4 + 4);
        DeviceTable table =
            DeviceTable.upload(stream, room, schema, "orders", new int[] {1, 2, 3, 4})) {
      assertThat(room.remainingBytes()).isZero();
      assertThat(table.download(stream, "key", int[].class)).containsExactly(1, 2, 3, 4);
    }
  }

  @Test
  void aClosedTableAndRefusedDownloadsAreNamed() {
    DeviceTable table =
        DeviceTable.upload(
            stream, Schema.of(ColumnField.of("key", ColumnType.INT32)), (Object) new int[] {1});
    gpu.memory().refuseDownloads(true);
    assertThatIllegalStateException().isThrownBy(() -> table.download(stream));
    gpu.memory().refuseDownloads(false);
    table.close();
    assertThatThrownBy(() -> table.download(stream))
        .hasMessageContaining("download()")
        .hasMessageContaining("table (key: int32");
  }
}

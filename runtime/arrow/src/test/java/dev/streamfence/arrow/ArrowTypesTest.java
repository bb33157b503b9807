package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.TimestampUnit;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Vectors of every type go to the device and come back, with their nulls. */
final class ArrowTypesTest {
  private static final int ROWS = 1003;

  /** A type of Arrow Java and that of the column. */
  private record Pair(Field field, ColumnType type) {
    Pair(ArrowType arrow, ColumnType type) {
      this(Vectors.nullable("größe", arrow), type);
    }

    @Override
    public String toString() {
      return type.toString();
    }
  }

  static Stream<Pair> types() {
    return Stream.of(
        new Pair(new ArrowType.Bool(), ColumnType.BOOL),
        new Pair(Vectors.bool8("größe"), ColumnType.BOOL8),
        new Pair(new ArrowType.Int(8, true), ColumnType.INT8),
        new Pair(new ArrowType.Int(16, true), ColumnType.INT16),
        new Pair(new ArrowType.Int(32, true), ColumnType.INT32),
        new Pair(new ArrowType.Int(64, true), ColumnType.INT64),
        new Pair(new ArrowType.Int(8, false), ColumnType.UINT8),
        new Pair(new ArrowType.Int(16, false), ColumnType.UINT16),
        new Pair(new ArrowType.Int(32, false), ColumnType.UINT32),
        new Pair(new ArrowType.Int(64, false), ColumnType.UINT64),
        new Pair(new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE), ColumnType.FLOAT32),
        new Pair(new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE), ColumnType.FLOAT64),
        new Pair(new ArrowType.Date(DateUnit.DAY), ColumnType.DATE32),
        new Pair(
            new ArrowType.Timestamp(TimeUnit.SECOND, null),
            ColumnType.timestamp(TimestampUnit.SECOND)),
        new Pair(
            new ArrowType.Timestamp(TimeUnit.MILLISECOND, "Europe/Zurich"),
            ColumnType.timestamp(TimestampUnit.MILLISECOND, "Europe/Zurich")),
        new Pair(
            new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC"),
            ColumnType.timestamp(TimestampUnit.MICROSECOND, "UTC")),
        new Pair(
            new ArrowType.Timestamp(TimeUnit.NANOSECOND, null),
            ColumnType.timestamp(TimestampUnit.NANOSECOND)),
        new Pair(new ArrowType.Decimal(18, 2, 128), ColumnType.decimal(18, 2)),
        new Pair(new ArrowType.Decimal(12, 0, 128), ColumnType.decimal(12, 0)),
        new Pair(new ArrowType.Utf8(), ColumnType.UTF8));
  }

  @RegisterExtension final ArrowDevice on = new ArrowDevice();
  private final BufferAllocator allocator = on.allocator;
  private final DeviceRuntime gpu = on.gpu;
  private final DeviceStream stream = on.stream;

  @ParameterizedTest
  @MethodSource("types")
  void vectorsWithNullsComeBack(Pair pair) {
    roundTrip(pair, ROWS, 3, HostTransfer.IN_LARGE_PIECES);
    roundTrip(pair, 9, 1, HostTransfer.IN_LARGE_PIECES);
  }

  @ParameterizedTest
  @MethodSource("types")
  void vectorsWithoutNullsComeBackAndTakeNoBitmap(Pair pair) {
    ReadableColumn<?> column = roundTrip(pair, ROWS, 0, HostTransfer.IN_LARGE_PIECES);
    assertThat(column.nullCount()).hasValue(0);
  }

  @ParameterizedTest
  @MethodSource("types")
  void vectorsWithoutRowsComeBack(Pair pair) {
    roundTrip(pair, 0, 0, HostTransfer.IN_LARGE_PIECES);
  }

  @ParameterizedTest
  @MethodSource("types")
  void largeVectorsAreTransferredInPieces(Pair pair) {
    roundTrip(pair, ROWS, 4, new HostTransfer(64));
  }

  @ParameterizedTest
  @MethodSource("types")
  void slicesOfVectorsComeBack(Pair pair) {
    try (VectorSchemaRoot whole = Vectors.table(allocator, pair.field(), ROWS, 3);
        VectorSchemaRoot slice = whole.slice(13, 105);
        DeviceTable table = ArrowTables.upload(stream, slice);
        VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
      assertThat(Vectors.rows(back.getVector(0)))
          .isEqualTo(Vectors.rows(whole.getVector(0)).subList(13, 118));
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void slicesOfTablesAreDownloaded(Pair pair) {
    try (VectorSchemaRoot root = Vectors.table(allocator, pair.field(), ROWS, 3);
        DeviceTable table = ArrowTables.upload(stream, root)) {
      List<Object> rows = Vectors.rows(root.getVector(0));
      for (int[] range : new int[][] {{0, 8}, {5, 1}, {7, 9}, {13, 105}, {16, 64}, {1000, 3}}) {
        try (DeviceTable slice = table.slice(stream, range[0], range[1]);
            VectorSchemaRoot back = ArrowTables.download(stream, allocator, slice)) {
          assertThat(Vectors.rows(back.getVector(0)))
              .isEqualTo(rows.subList(range[0], range[0] + range[1]));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void onlyLogicalRowsAreDownloaded(Pair pair) {
    try (VectorSchemaRoot root = Vectors.table(allocator, pair.field(), ROWS, 3);
        DeviceTable table = ArrowTables.upload(stream, root)) {
      for (int logical : new int[] {0, 1, 11, 1000}) {
        table.setRows(stream, logical);
        try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table)) {
          assertThat(back.getRowCount()).isEqualTo(logical);
          assertThat(Vectors.rows(back.getVector(0)))
              .isEqualTo(Vectors.rows(root.getVector(0)).subList(0, logical));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void theSameVectorsAreFilledAgainAndAgain(Pair pair) {
    Allocations allocations = new Allocations();
    try (BufferAllocator counting =
            allocator.newChildAllocator("counting", allocations, 0, Long.MAX_VALUE);
        VectorSchemaRoot reused =
            VectorSchemaRoot.create(new Schema(List.of(pair.field())), counting)) {
      fill(reused, pair, ROWS, 0, 0);
      int count = allocations.count();
      fill(reused, pair, 9, 3, 0);
      fill(reused, pair, ROWS, 0, 0);
      fill(reused, pair, ROWS, 1, 0);
      fill(reused, pair, ROWS, 3, 13);
      fill(reused, pair, 0, 0, 0);
      assertThat(allocations.count()).isEqualTo(count);
      fill(reused, pair, 3 * ROWS, 4, 0);
      assertThat(allocations.count()).isGreaterThan(count);
    }
  }

  /** Downloads a new table, without its first rows, and compares. */
  private void fill(VectorSchemaRoot reused, Pair pair, int rows, int nullEvery, int from) {
    try (VectorSchemaRoot root = Vectors.table(allocator, pair.field(), rows, nullEvery);
        DeviceTable table = ArrowTables.upload(stream, root);
        DeviceTable slice = table.slice(stream, from, rows - from)) {
      ArrowTables.downloadInto(stream, slice, reused);
      assertThat(reused.getRowCount()).isEqualTo(rows - from);
      assertThat(Vectors.rows(reused.getVector(0)))
          .isEqualTo(Vectors.rows(root.getVector(0)).subList(from, rows));
    }
  }

  /** Returns the column, which is closed. */
  private ReadableColumn<?> roundTrip(Pair pair, int rows, int nullEvery, HostTransfer transfer) {
    MapDictionaryProvider none = new MapDictionaryProvider();
    try (VectorSchemaRoot root = Vectors.table(allocator, pair.field(), rows, nullEvery);
        DeviceTable table = ArrowTables.upload(stream, gpu.memory(), root, none, transfer)) {
      assertThat(table.schema().fields())
          .containsExactly(ColumnField.nullable("größe", pair.type()));
      assertThat(ArrowTables.schemaOf(root.getSchema())).isEqualTo(table.schema());
      assertThat(table.capacity()).isEqualTo(rows);
      assertThat(table.knownRows()).hasValue(rows);
      try (VectorSchemaRoot back = ArrowTables.download(stream, allocator, table, none, transfer)) {
        assertThat(back.getSchema()).isEqualTo(root.getSchema());
        assertThat(back.getRowCount()).isEqualTo(rows);
        assertThat(back.getVector(0).getNullCount()).isEqualTo(root.getVector(0).getNullCount());
        assertThat(Vectors.rows(back.getVector(0))).isEqualTo(Vectors.rows(root.getVector(0)));
      }
      return table.column(0);
    }
  }
}

package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.streamfence.examples.tpch.SampleFile.Column;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Columns of files that are not as TPC-H has them are refused, with file, column and row. */
class UnusableColumnsTest {
  @TempDir private Path folder;
  private Path orders;
  private Path lineItems;

  @BeforeEach
  void writeGoodFiles() throws IOException {
    orders = folder.resolve("orders.arrow");
    lineItems = folder.resolve("lineitem.arrow");
    SampleFile.orders().write(orders, 1);
    SampleFile.lineItems().write(lineItems, 1);
  }

  private void refuses(String message) {
    assertThatThrownBy(() -> TpchFiles.read(folder))
        .isInstanceOf(DataFileException.class)
        .hasMessage(message);
  }

  static Stream<Arguments> badColumnsOfOrders() {
    return Stream.of(
        arguments(
            "o_orderkey",
            SampleFile.decimals(15, 2, "1.00", "2.00"),
            "column o_orderkey of FILE has the type Decimal(15, 2, 128); it must be Int(64, true)"),
        arguments(
            "o_orderkey",
            SampleFile.encoded(List.of("1"), 0, 0),
            "column o_orderkey of FILE has the type Utf8 with a dictionary; it must be Int(64,"
                + " true)"),
        arguments(
            "o_orderkey",
            SampleFile.keys(1L, null),
            "row 1 of column o_orderkey of FILE is null; TPC-H has no nulls"),
        arguments(
            "o_orderkey",
            SampleFile.keys(5L, 0L),
            "row 1 of column o_orderkey of FILE is 0; it must be from 1 to 4611686018427387903"),
        arguments(
            "o_orderkey",
            SampleFile.keys(1L << 62, 3L),
            "row 0 of column o_orderkey of FILE is 4611686018427387904; it must be from 1 to"
                + " 4611686018427387903"),
        arguments(
            "o_orderkey",
            SampleFile.keys(3L, 3L),
            "column o_orderkey of FILE has the key 3 more than once"),
        arguments(
            "o_orderpriority",
            SampleFile.doubles(1, 2),
            "column o_orderpriority of FILE has the type FloatingPoint(DOUBLE); it must be Utf8,"
                + " with or without a dictionary"),
        arguments(
            "o_orderpriority",
            SampleFile.texts("5-LOW", "6-NONE"),
            "row 1 of column o_orderpriority of FILE is '6-NONE'; it must be one of 1-URGENT,"
                + " 2-HIGH, 3-MEDIUM, 4-NOT SPECIFIED, 5-LOW"));
  }

  @ParameterizedTest
  @MethodSource("badColumnsOfOrders")
  void columnOfOrdersThatIsNotAsTpchHasIt(String name, Column column, String message)
      throws IOException {
    SampleFile.orders().with(name, column).write(orders, 1);
    refuses(message.replace("FILE", orders.toString()));
  }

  static Stream<Arguments> badColumnsOfLineItems() {
    return Stream.of(
        arguments(
            "l_extendedprice",
            SampleFile.doubles(1, 2),
            "column l_extendedprice of FILE has the type FloatingPoint(DOUBLE); it must be"
                + " Decimal(15, 2, 128)"),
        arguments(
            "l_extendedprice",
            SampleFile.decimals(15, 4, "1.0000", "2.0000"),
            "column l_extendedprice of FILE has the type Decimal(15, 4, 128); it must be"
                + " Decimal(15, 2, 128)"),
        arguments(
            "l_extendedprice",
            SampleFile.decimals(15, 2, "1.00", "104950.01"),
            "row 1 of column l_extendedprice of FILE is 104950.01; it must be from 0.00 to"
                + " 104950.00"),
        arguments(
            "l_extendedprice",
            SampleFile.decimals(38, 2, "184467440737095516.16", "1.00"),
            "row 0 of column l_extendedprice of FILE is 184467440737095516.16; it must be from"
                + " 0.00 to 104950.00"),
        arguments(
            "l_quantity",
            SampleFile.decimals(18, 2, "1.00", "-10000000000000.00"),
            "row 1 of column l_quantity of FILE is -10000000000000.00; it must be from"
                + " -9999999999999.99 to 9999999999999.99"),
        arguments(
            "l_shipdate",
            SampleFile.texts("1994-01-01", "1994-01-02"),
            "column l_shipdate of FILE has the type Utf8; it must be Date(DAY)"),
        arguments(
            "l_shipmode",
            SampleFile.encoded(List.of("MAIL", "BOAT"), 0, 1),
            "row 1 of column l_shipmode of FILE is 'BOAT'; it must be one of REG AIR, AIR, RAIL,"
                + " SHIP, TRUCK, MAIL, FOB"),
        arguments(
            "l_shipmode",
            SampleFile.encoded(List.of("MAIL"), 0, 1),
            "row 1 of column l_shipmode of FILE is row 1 of a dictionary of 1 rows"));
  }

  @ParameterizedTest
  @MethodSource("badColumnsOfLineItems")
  void columnOfLineItemsThatIsNotAsTpchHasIt(String name, Column column, String message)
      throws IOException {
    SampleFile.lineItems().with(name, column).write(lineItems, 1);
    refuses(message.replace("FILE", lineItems.toString()));
  }

  @Test
  void rowsAreCountedOverAllBatches() throws IOException {
    long[] keys = LongStream.rangeClosed(1, 70_000).toArray();
    keys[66_000] = -1;
    Files.delete(orders);
    ArrowFileOutput.write(orders, new HostTable(TpchSchema.ORDERS, keys, new byte[keys.length]));
    refuses(
        "row 66000 of column o_orderkey of "
            + orders
            + " is -1; it must be from 1 to 4611686018427387903");
  }

  @Test
  void columnThatIsThereTwice() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root =
            VectorSchemaRoot.of(
                new BigIntVector("o_orderkey", allocator),
                new BigIntVector("o_orderkey", allocator));
        FileChannel channel =
            FileChannel.open(
                orders, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        ArrowFileWriter writer = new ArrowFileWriter(root, new MapDictionaryProvider(), channel)) {
      writer.writeBatch();
      writer.end();
    }
    refuses(orders + " has more than one column o_orderkey");
  }

  @Test
  void missingColumn() throws IOException {
    SampleFile.orders().without("o_orderpriority").write(orders, 1);
    refuses(orders + " has no column o_orderpriority; it has o_orderkey");
  }

  @Test
  void missingColumnOfATableWithoutColumns() throws IOException {
    SampleFile.orders().without("o_orderpriority").without("o_orderkey").write(orders, 1);
    refuses(orders + " has no column o_orderkey; it has none");
  }
}

package dev.streamfence.examples.tpch;

import static dev.streamfence.examples.tpch.Constants.PUBLISHED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.launch.LaunchShape;
import java.lang.reflect.Array;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The kernels against plain Java where their tiles and their loads of several rows make row counts
 * special: fewer rows than a load, tiles with and without a rest, more tiles than blocks, and
 * columns that begin at an address that is not aligned for such a load.
 */
abstract class QueryKernelCases {
  private static final int ORDERS = 50;

  /** Runs the case on the device of the class. */
  abstract void onTheDevice(DeviceOperation operation);

  /** Something to do with an open device. */
  interface DeviceOperation {
    void on(DeviceRuntime device, DeviceStream stream);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1", "1, 1", "15, 1", "16, 1", "17, 1", "257, 1", "1023, 1", "1024, 1", "1025, 1", "1040, 3",
    "3071, 2", "3072, 2", "3077, 1"
  })
  void anyNumberOfRows(int rows, int blocks) {
    agrees(rows, blocks, 0, 0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, 1, 1",
    "17, 1, 1, 1, 1",
    "1040, 1, 1, 1, 1",
    "1040, 2, 2, 2, 2",
    "1040, 3, 3, 3, 3",
    "1040, 4, 4, 4, 4",
    "1040, 1, 0, 0, 0",
    "1040, 0, 1, 0, 0",
    "1040, 0, 0, 1, 0",
    "1040, 0, 0, 0, 1",
    "1040, 2, 4, 6, 8"
  })
  void columnsMayBeginAnywhere(int rows, int first, int second, int third, int fourth) {
    agrees(rows, 2, first, second, third, fourth);
  }

  private void agrees(int rows, int blocks, int... from) {
    TpchData data = random(rows + 8);
    Answers expected =
        new JavaOracle()
            .answersOver(
                new TpchData(data.orders(), shifted(data.lineItems(), rows, from)), PUBLISHED);
    onTheDevice(
        (device, stream) -> {
          try (DeviceTables tables = DeviceTables.upload(stream, data)) {
            Columns columns = new Columns(tables, rows, from);
            LaunchShape shape = LaunchShape.of(blocks, RowGrid.BLOCK_SIZE);
            assertThat(revenue(stream, columns, shape)).isEqualTo(expected.q6());
            assertThat(lateDeliveries(stream, tables, columns, shape)).isEqualTo(expected.q12());
          }
        });
  }

  private static Q6Answer revenue(DeviceStream stream, Columns columns, LaunchShape shape) {
    try (DeviceArray<long[]> revenue =
        stream.runtime().memory().allocateZeroed(stream, long[].class, 1)) {
      Q6KernelsLauncher.on(stream)
          .addRevenue(
              columns.of("l_shipdate", int[].class),
              columns.of("l_discount", long[].class),
              columns.of("l_quantity", long[].class),
              columns.of("l_extendedprice", long[].class),
              revenue,
              PUBLISHED.fromDate(),
              PUBLISHED.toDate(),
              PUBLISHED.leastDiscount(),
              PUBLISHED.mostDiscount(),
              PUBLISHED.quantityLimit(),
              columns.rows(),
              shape);
      return new Q6Answer(revenue.download(stream)[0]);
    }
  }

  private static Q12Answer lateDeliveries(
      DeviceStream stream, DeviceTables tables, Columns columns, LaunchShape shape) {
    int slots = Q12Query.slotsFor(ORDERS);
    try (DeviceArray<long[]> table =
            stream.runtime().memory().allocateZeroed(stream, long[].class, slots);
        DeviceArray<long[]> counts =
            stream.runtime().memory().allocateZeroed(stream, long[].class, 4)) {
      Q12Kernels kernels = Q12KernelsLauncher.on(stream);
      kernels.build(
          tables.orders().readable("o_orderkey", long[].class),
          tables.orders().readable("o_orderpriority", byte[].class),
          table,
          slots - 1,
          OrderPriority.MEDIUM.code(),
          ORDERS);
      kernels.probe(
          columns.of("l_orderkey", long[].class),
          columns.of("l_shipmode", byte[].class),
          columns.of("l_shipdate", int[].class),
          columns.of("l_commitdate", int[].class),
          columns.of("l_receiptdate", int[].class),
          table,
          counts,
          slots - 1,
          ShipMode.MAIL.code(),
          ShipMode.SHIP.code(),
          PUBLISHED.fromDate(),
          PUBLISHED.toDate(),
          columns.rows(),
          shape);
      long[] counted = counts.download(stream);
      return new Q12Answer(counted[0], counted[1], counted[2], counted[3]);
    }
  }

  /** Rows at the bounds of both queries: about half of them match each condition. */
  private static TpchData random(int rows) {
    Random random = new Random(rows);
    long[] keys = IntStream.range(0, ORDERS).mapToLong(i -> 1 + 7L * i).toArray();
    byte[] priorities = new byte[ORDERS];
    IntStream.range(0, ORDERS)
        .forEach(i -> priorities[i] = (byte) random.nextInt(OrderPriority.values().length));
    byte[] modes = new byte[rows];
    IntStream.range(0, rows)
        .forEach(
            i ->
                modes[i] =
                    (random.nextInt(3) == 0
                            ? ShipMode.AIR
                            : random.nextBoolean() ? ShipMode.MAIL : ShipMode.SHIP)
                        .code());
    return new TpchData(
        new HostTable(TpchSchema.ORDERS, keys, priorities),
        new HostTable(
            TpchSchema.LINE_ITEMS,
            random.ints(rows, 0, ORDERS).mapToLong(i -> keys[i]).toArray(),
            random
                .longs(rows, PUBLISHED.quantityLimit() - 2, PUBLISHED.quantityLimit() + 2)
                .toArray(),
            random.longs(rows, 1, 10_000_000).toArray(),
            random
                .longs(rows, PUBLISHED.leastDiscount() - 1, PUBLISHED.mostDiscount() + 2)
                .toArray(),
            random
                .ints(rows, 0, 4)
                .map(i -> i < 2 ? PUBLISHED.fromDate() - 1 + i : PUBLISHED.toDate() - 3 + i)
                .toArray(),
            random.ints(rows, PUBLISHED.toDate() - 2, PUBLISHED.toDate() + 1).toArray(),
            random.ints(rows, PUBLISHED.toDate() - 2, PUBLISHED.toDate() + 1).toArray(),
            modes));
  }

  /** The rows as {@link Columns} shows them to a kernel. */
  private static HostTable shifted(HostTable table, int rows, int... from) {
    Object[] columns = new Object[table.schema().columnCount()];
    for (int i = 0; i < columns.length; i++) {
      Object column = table.column(i);
      columns[i] = Array.newInstance(column.getClass().getComponentType(), rows);
      System.arraycopy(column, from[i % from.length], columns[i], 0, rows);
    }
    return new HostTable(table.schema(), columns);
  }

  /**
   * Some rows of each column.
   *
   * @param tables the tables with the line items
   * @param rows how many
   * @param from where each column begins; the columns take turns
   */
  private record Columns(DeviceTables tables, int rows, int... from) {
    <A> ReadableColumn<A> of(String name, Class<A> type) {
      int index = tables.lineItems().schema().indexOf(name);
      return tables.lineItems().readable(name, type).slice(from[index % from.length], rows);
    }
  }
}

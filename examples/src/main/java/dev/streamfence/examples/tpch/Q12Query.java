package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.graph.KernelGraph;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Q12, "shipping modes and order priority": how many line items that arrived by two modes in a year
 * were late, by priority. This is a hash join: one thread builds the table from the orders on one
 * stream, and another thread probes it with the line items on another stream.
 *
 * <p>The first thread hands over the {@link DeviceArray} as soon as it has launched the build, and
 * neither thread waits for the device in between. The launchers make the probe run after the build
 * on the device.
 */
final class Q12Query {
  /** Bytes of an order in the columns that it reads whole: the key and the priority's code. */
  static final long BYTES_PER_ORDER = Long.BYTES + Byte.BYTES;

  /** Bytes of a line item in the columns that it reads whole: the mode's code and three dates. */
  static final long BYTES_PER_LINE_ITEM = Byte.BYTES + 3 * Integer.BYTES;

  /** For two modes and two kinds of priorities. */
  private static final int COUNTS = 4;

  private final DeviceRuntime device;
  private final DeviceTables tables;
  private final int mask;

  private Q12Query(DeviceRuntime device, DeviceTables tables) {
    this.device = device;
    this.tables = tables;
    this.mask = slotsFor(Math.toIntExact(tables.orders().capacity())) - 1;
  }

  /** Runs the query and waits for its answer. */
  static Q12Answer run(DeviceRuntime device, DeviceTables tables, Constants constants) {
    return new Q12Query(device, tables).run(constants);
  }

  /** Records the query as a graph, which builds the table and probes it. */
  static QueryGraph<Q12Answer> graph(DeviceStream stream, DeviceTables tables) {
    Q12Query query = new Q12Query(stream.runtime(), tables);
    KernelGraph graph =
        stream
            .runtime()
            .graph(
                "Q12",
                body -> {
                  try (DeviceArray<long[]> table = query.build(stream)) {
                    query.probe(
                        stream,
                        table,
                        body.input("counts", body.scratch(stream, long[].class, COUNTS)),
                        Constants.PUBLISHED);
                  }
                });
    return new QueryGraph<>(
        stream, graph, COUNTS, "probe", Q12Query::numbers, results -> answer(results.get(0)));
  }

  private static Map<String, Object> numbers(Constants constants) {
    return Map.of(
        "firstMode", Integer.valueOf(constants.firstMode().code()),
        "secondMode", Integer.valueOf(constants.secondMode().code()),
        "fromDate", constants.fromDate(),
        "toDate", constants.toDate());
  }

  private static Q12Answer answer(long[] counts) {
    return new Q12Answer(counts[0], counts[1], counts[2], counts[3]);
  }

  /** A power of two that leaves at least half of the table empty, which keeps collisions short. */
  static int slotsFor(int orders) {
    if (orders > 1 << 29) {
      throw new IllegalArgumentException(
          orders + " orders need a larger hash table than Q12 builds; it takes up to " + (1 << 29));
    }
    return Integer.highestOneBit(Math.max(1, 2 * orders - 1)) * 2;
  }

  private Q12Answer run(Constants constants) {
    try (HostThreads builder = new HostThreads("q12-build", 1);
        HostThreads prober = new HostThreads("q12-probe", 1);
        DeviceStream buildStream = device.streams().acquire();
        DeviceStream probeStream = device.streams().acquire()) {
      CompletableFuture<DeviceArray<long[]>> table =
          CompletableFuture.supplyAsync(() -> build(buildStream), builder.executor());
      CompletableFuture<Q12Answer> answer =
          table.thenApplyAsync(built -> count(probeStream, built, constants), prober.executor());
      try {
        return answer.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : e;
      } finally {
        if (!table.isCompletedExceptionally()) {
          table.join().close();
        }
      }
    }
  }

  private DeviceArray<long[]> build(DeviceStream stream) {
    DeviceTable orders = tables.orders();
    DeviceArray<long[]> table = device.memory().allocateZeroed(stream, long[].class, mask + 1);
    try {
      Q12KernelsLauncher.on(stream)
          .build(
              orders.readable("o_orderkey", long[].class),
              orders.readable("o_orderpriority", byte[].class),
              table,
              mask,
              OrderPriority.MEDIUM.code(),
              Math.toIntExact(orders.capacity()));
      return table;
    } catch (RuntimeException e) {
      table.close();
      throw e;
    }
  }

  private Q12Answer count(DeviceStream stream, DeviceArray<long[]> table, Constants constants) {
    try (DeviceArray<long[]> counts = device.memory().allocate(stream, long[].class, COUNTS)) {
      probe(stream, table, counts, constants);
      return answer(counts.download(stream));
    }
  }

  private void probe(
      DeviceStream stream,
      DeviceArray<long[]> table,
      DeviceArray<long[]> counts,
      Constants constants) {
    DeviceTable items = tables.lineItems();
    counts.fill(stream, 0);
    Q12KernelsLauncher.on(stream)
        .probe(
            items.readable("l_orderkey", long[].class),
            items.readable("l_shipmode", byte[].class),
            items.readable("l_shipdate", int[].class),
            items.readable("l_commitdate", int[].class),
            items.readable("l_receiptdate", int[].class),
            table,
            counts,
            mask,
            constants.firstMode().code(),
            constants.secondMode().code(),
            constants.fromDate(),
            constants.toDate(),
            Math.toIntExact(items.capacity()),
            RowGrid.of(
                stream,
                Q12KernelsLauncher.module(stream).occupancy("q12_probe"),
                items.capacity()));
  }
}

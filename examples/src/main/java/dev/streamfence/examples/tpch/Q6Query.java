package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.graph.KernelGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Q6, "forecasting revenue change": what some discounts on small quantities cost in a year. It sums
 * up slices of the rows, each into an array of its own.
 */
final class Q6Query {
  /** Bytes of a row in the columns that it reads, all of them whole: a date and three decimals. */
  static final long BYTES_PER_ROW = Integer.BYTES + 3 * Long.BYTES;

  /**
   * Slices begin at multiples of so many rows: where the kernel can load pairs of rows, and where
   * 32 dates fill a line of the cache, which two slices would otherwise both load.
   */
  private static final int ROW_STEP = 32;

  private Q6Query() {}

  /**
   * Runs the query and waits for its answer.
   *
   * @param streams how many streams share the rows, one slice for each
   * @param threads the threads that launch
   */
  static Q6Answer run(
      DeviceRuntime device,
      DeviceTables tables,
      Constants constants,
      int streams,
      HostThreads threads) {
    Deque<SliceRun> runs = new ArrayDeque<>();
    try {
      for (Slice slice : slices(tables, streams)) {
        runs.add(new SliceRun(device, slice));
      }
      threads.runAll(
          runs.stream()
              .<Callable<SliceRun>>map(run -> () -> run.launch(tables, constants))
              .toList());
      return answer(runs.stream().map(SliceRun::awaitRevenue).toList());
    } finally {
      runs.forEach(SliceRun::close);
    }
  }

  /**
   * Records the query as a graph, whose slices run side by side.
   *
   * @param slices how many
   */
  static QueryGraph<Q6Answer> graph(DeviceStream stream, DeviceTables tables, int slices) {
    KernelGraph graph =
        stream
            .runtime()
            .graph(
                "Q6",
                body -> {
                  for (Slice slice : slices(tables, slices)) {
                    slice.launch(
                        stream,
                        tables,
                        body.input(
                            "revenue " + slice.number(), body.scratch(stream, long[].class, 1)),
                        Constants.PUBLISHED);
                  }
                });
    return new QueryGraph<>(stream, graph, 1, "addRevenue", Q6Query::numbers, Q6Query::answer);
  }

  private static Map<String, Object> numbers(Constants constants) {
    return Map.of(
        "fromDate", constants.fromDate(),
        "toDate", constants.toDate(),
        "leastDiscount", constants.leastDiscount(),
        "mostDiscount", constants.mostDiscount(),
        "quantityLimit", constants.quantityLimit());
  }

  private static Q6Answer answer(List<long[]> revenues) {
    long sum = 0;
    for (long[] revenue : revenues) {
      sum = Math.addExact(sum, revenue[0]);
    }
    return new Q6Answer(sum);
  }

  private static List<Slice> slices(DeviceTables tables, int count) {
    List<Slice> slices = new ArrayList<>();
    long rows = tables.lineItems().capacity();
    long first = 0;
    for (int i = 1; i <= count; i++) {
      long end = i == count ? rows : rows * i / count / ROW_STEP * ROW_STEP;
      slices.add(new Slice(i, first, end - first));
      first = end;
    }
    return slices;
  }

  /** Some of the rows. */
  private record Slice(int number, long first, long rows) {
    /** Sums up the revenue of its rows. Does not synchronise. */
    void launch(
        DeviceStream stream,
        DeviceTables tables,
        DeviceArray<long[]> revenue,
        Constants constants) {
      revenue.fill(stream, 0);
      DeviceTable items = tables.lineItems();
      Q6KernelsLauncher.on(stream)
          .addRevenue(
              items.readable("l_shipdate", int[].class).slice(first, rows),
              items.readable("l_discount", long[].class).slice(first, rows),
              items.readable("l_quantity", long[].class).slice(first, rows),
              items.readable("l_extendedprice", long[].class).slice(first, rows),
              revenue,
              constants.fromDate(),
              constants.toDate(),
              constants.leastDiscount(),
              constants.mostDiscount(),
              constants.quantityLimit(),
              Math.toIntExact(rows),
              RowGrid.of(stream, Q6KernelsLauncher.module(stream).occupancy("q6_revenue"), rows));
    }
  }

  /** A slice with a stream and a sum of its own. */
  private static final class SliceRun implements AutoCloseable {
    private final Slice slice;
    private final DeviceStream stream;
    private final DeviceArray<long[]> revenue;

    SliceRun(DeviceRuntime device, Slice slice) {
      this.slice = slice;
      this.stream = device.streams().acquire();
      try {
        this.revenue = device.memory().allocate(stream, long[].class, 1);
      } catch (RuntimeException e) {
        stream.close();
        throw e;
      }
    }

    SliceRun launch(DeviceTables tables, Constants constants) {
      slice.launch(stream, tables, revenue, constants);
      return this;
    }

    long[] awaitRevenue() {
      return revenue.download(stream);
    }

    @Override
    public void close() {
      revenue.close();
      stream.close();
    }
  }
}

package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;

/**
 * Q6, "forecasting revenue change": what discounts of about 6 % on small quantities cost in a year.
 * Each stream processes one slice of the rows into its own sum.
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
   * @param streams how many streams share the rows
   * @param threads the threads that launch
   */
  static Q6Answer run(
      DeviceRuntime device,
      DeviceTables tables,
      Constants constants,
      int streams,
      HostThreads threads) {
    Deque<RowChunk> chunks = new ArrayDeque<>();
    try {
      long rows = tables.lineItems().capacity();
      long first = 0;
      for (int i = 1; i <= streams; i++) {
        long end = i == streams ? rows : rows * i / streams / ROW_STEP * ROW_STEP;
        chunks.add(new RowChunk(device, first, end - first));
        first = end;
      }
      threads.runAll(
          chunks.stream()
              .<Callable<RowChunk>>map(chunk -> () -> chunk.launch(tables.lineItems(), constants))
              .toList());
      long revenue = 0;
      for (RowChunk chunk : chunks) {
        revenue = Math.addExact(revenue, chunk.awaitRevenue());
      }
      return new Q6Answer(revenue);
    } finally {
      chunks.forEach(RowChunk::close);
    }
  }

  /** Some of the rows, with a stream and a sum of their own. */
  private static final class RowChunk implements AutoCloseable {
    private final long first;
    private final long rows;
    private final DeviceStream stream;
    private final DeviceArray<long[]> revenue;

    RowChunk(DeviceRuntime device, long first, long rows) {
      this.first = first;
      this.rows = rows;
      this.stream = device.streams().acquire();
      try {
        this.revenue = device.memory().allocateZeroed(stream, long[].class, 1);
      } catch (RuntimeException e) {
        stream.close();
        throw e;
      }
    }

    RowChunk launch(DeviceTable lineItems, Constants constants) {
      Q6KernelsLauncher.on(stream)
          .addRevenue(
              lineItems.readable("l_shipdate", int[].class).slice(first, rows),
              lineItems.readable("l_discount", long[].class).slice(first, rows),
              lineItems.readable("l_quantity", long[].class).slice(first, rows),
              lineItems.readable("l_extendedprice", long[].class).slice(first, rows),
              revenue,
              constants.fromDate(),
              constants.toDate(),
              constants.leastDiscount(),
              constants.mostDiscount(),
              constants.quantityLimit(),
              Math.toIntExact(rows),
              RowGrid.of(stream, Q6KernelsLauncher.module(stream).occupancy("q6_revenue"), rows));
      return this;
    }

    long awaitRevenue() {
      return revenue.download(stream)[0];
    }

    @Override
    public void close() {
      revenue.close();
      stream.close();
    }
  }
}

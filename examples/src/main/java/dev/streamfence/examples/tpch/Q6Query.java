package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;

/**
 * Q6, "forecasting revenue change": what discounts of 5 to 7 % on small quantities cost in 1994.
 * Each stream processes one chunk of the rows into its own sum.
 */
final class Q6Query {
  /** First day, inclusive, in days since 1970-01-01. */
  static final int FROM_DATE = (int) LocalDate.of(1994, 1, 1).toEpochDay();

  /** The day after the last day. */
  static final int TO_DATE = (int) LocalDate.of(1995, 1, 1).toEpochDay();

  /** Least discount in hundredths, inclusive. */
  static final int LEAST_DISCOUNT = 5;

  /** Greatest discount in hundredths, inclusive. */
  static final int MOST_DISCOUNT = 7;

  /** Upper limit of the quantity, exclusive. */
  static final int QUANTITY_LIMIT = 24;

  private Q6Query() {}

  /**
   * Runs the query and waits for its answer.
   *
   * @param streams how many streams share the rows
   * @param threads the threads that launch
   */
  static Q6Answer run(DeviceRuntime device, DeviceTables tables, int streams, HostThreads threads) {
    Deque<RowChunk> chunks = new ArrayDeque<>();
    try {
      for (int i = 0; i < streams; i++) {
        int first = boundary(tables.lineItems(), i, streams);
        int end = boundary(tables.lineItems(), i + 1, streams);
        chunks.add(new RowChunk(device, first, end - first));
      }
      threads.runAll(
          chunks.stream().<Callable<RowChunk>>map(chunk -> () -> chunk.launch(tables)).toList());
      long revenue = 0;
      for (RowChunk chunk : chunks) {
        revenue = Math.addExact(revenue, chunk.awaitRevenue());
      }
      return new Q6Answer(revenue);
    } finally {
      chunks.forEach(RowChunk::close);
    }
  }

  private static int boundary(int rows, int chunk, int chunks) {
    return (int) ((long) rows * chunk / chunks);
  }

  /** Some of the rows, with a stream and a sum of their own. */
  private static final class RowChunk implements AutoCloseable {
    private final int first;
    private final int rows;
    private final DeviceStream stream;
    private final DeviceArray<long[]> revenue;

    RowChunk(DeviceRuntime device, int first, int rows) {
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

    RowChunk launch(DeviceTables tables) {
      Q6KernelsLauncher.on(stream)
          .addRevenue(
              tables.shipDates,
              tables.discounts,
              tables.quantities,
              tables.prices,
              revenue,
              FROM_DATE,
              TO_DATE,
              LEAST_DISCOUNT,
              MOST_DISCOUNT,
              QUANTITY_LIMIT,
              first,
              rows);
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

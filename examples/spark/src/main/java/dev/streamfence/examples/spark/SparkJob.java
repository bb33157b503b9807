package dev.streamfence.examples.spark;

import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.CollectionAccumulator;

/**
 * The job: one query over the line items, by Spark alone and on the devices of its executors.
 * Immutable.
 *
 * @param lineItems the columns of {@link PricingTotals#COLUMNS}, in files that Spark reads in
 *     batches, and other columns
 */
record SparkJob(Dataset<Row> lineItems) {
  /**
   * One run of the query.
   *
   * @param answer the rows
   * @param time from the call to the answer
   * @param uses one for each batch, or part of a batch, that a device has worked on
   */
  record Run(List<Row> answer, Duration time, List<DeviceUse> uses) {}

  /** Runs the query without a device. */
  Run bySpark() {
    return timed(PricingTotals.bySpark(lineItems), List::of);
  }

  /** Runs the query on the devices of the executors. */
  Run onDevices() {
    return onDevices(operator -> operator);
  }

  /** Runs the query on the devices, and ends one of the executors in the middle of it. */
  Run onDevicesWithALoss() {
    int partition = partitionInTheMiddle();
    return onDevices(operator -> new HaltOnce(operator, partition));
  }

  /** One with rows: a task without rows uses no device. */
  int partitionInTheMiddle() {
    List<Integer> withRows =
        PricingTotals.scan(lineItems)
            .batches()
            .mapPartitionsWithIndex(SparkJob::numberIfNotEmpty, true)
            .collect();
    if (withRows.isEmpty()) {
      throw new IllegalStateException("there are no rows, so no executor uses its device");
    }
    return withRows.get(withRows.size() / 2);
  }

  private static Iterator<Integer> numberIfNotEmpty(int number, Iterator<ColumnarBatch> batches) {
    while (batches.hasNext()) {
      if (batches.next().numRows() > 0) {
        return List.of(number).iterator();
      }
    }
    return Collections.emptyIterator();
  }

  /**
   * Runs the query on the devices.
   *
   * @param around makes an operator around that of the query
   */
  Run onDevices(UnaryOperator<DeviceOperator> around) {
    CollectionAccumulator<DeviceUse> uses = new CollectionAccumulator<>();
    lineItems.sparkSession().sparkContext().register(uses, "uses of devices");
    DeviceOperator operator = new WatchedOperator(PricingTotals.operator(), uses);
    return timed(PricingTotals.onDevices(lineItems, around.apply(operator)), uses::value);
  }

  private static Run timed(Dataset<Row> query, Supplier<List<DeviceUse>> uses) {
    long start = System.nanoTime();
    List<Row> answer = query.collectAsList();
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    return new Run(answer, time, uses.get());
  }
}

package dev.streamfence.examples.spark;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.memory.Retry;
import dev.streamfence.memory.RowRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * A task: it uploads each batch of its partition, runs an operator on it on the device of the
 * executor, and returns the results as rows. Each task has a stream; memory that tasks compete for
 * makes them wait, or work on parts of a batch. Immutable.
 *
 * @param input the columns of a batch
 * @param operator what is done with it
 * @param output the columns of the results
 */
record DeviceStage(StructType input, DeviceOperator operator, StructType output)
    implements FlatMapFunction<Iterator<ColumnarBatch>, Row> {
  /** As long as a task of a busy executor may take, which has to give its stream back. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Override
  public Iterator<Row> call(Iterator<ColumnarBatch> batches) throws InterruptedException {
    DeviceRuntime runtime =
        ExecutorDevice.ofThisProcess().runtime(DeviceAddress.of(TaskContext.get()));
    List<Row> rows = new ArrayList<>();
    try (DeviceStream stream =
        runtime
            .streams()
            .acquire(PATIENCE)
            .orElseThrow(() -> new IllegalStateException("no stream is free on " + runtime))) {
      while (batches.hasNext()) {
        rows.addAll(rowsOf(stream, batches.next()));
      }
    }
    return rows.iterator();
  }

  /** The rows that the operator makes of a batch. */
  List<Row> rowsOf(DeviceStream stream, ColumnarBatch batch) {
    if (batch.numRows() == 0) {
      return List.of();
    }
    return Retry.with(
            stream.runtime().memory(),
            new RowRange(0, batch.numRows()),
            part -> {
              try (DeviceTable rows = BatchUpload.upload(stream, input, batch, part);
                  DeviceTable result = operator.apply(stream, rows)) {
                return ResultRows.download(stream, result, output);
              }
            })
        .stream()
        .flatMap(List::stream)
        .toList();
  }
}

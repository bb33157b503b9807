package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.launch.LaunchShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Aggregates of the rows of a table by their key. */
public final class GroupBy {
  /** As {@code aggregates.cu} numbers it. */
  private static final int SUM_DOUBLES = 2;

  /** As in {@code aggregates.cu}. */
  private static final int GROUPS_OF_THREAD = 8;

  private static final int GROUPS_OF_BLOCK = 512;

  private static final int BLOCK = 256;

  /** As many as their shared memory lets run at the same time. */
  private static final int BLOCKS_PER_MULTIPROCESSOR = 8;

  private final DeviceStream stream;
  private final @Nullable DeviceArray<int[]> groups;
  private final int groupCount;
  private final int rows;

  private GroupBy(
      DeviceStream stream, @Nullable DeviceArray<int[]> groups, int groupCount, int rows) {
    this.stream = stream;
    this.groups = groups;
    this.groupCount = groupCount;
    this.rows = rows;
  }

  /**
   * Returns a table with a row for each key: the columns of the key, then the aggregates. Null
   * equals null. The order of the rows is unspecified. Waits for the device, for the number of
   * groups.
   *
   * @param keys the columns of the key; none for one row over the whole table, which is there even
   *     if the table is empty, and waits for the device only if the host does not have the number
   *     of rows
   * @throws IllegalArgumentException if a column or an expression does not fit the table
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static DeviceTable of(
      DeviceStream stream, DeviceTable table, List<String> keys, Aggregate... aggregates) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      List<DeviceColumn<?>> results = new ArrayList<>();
      GroupBy groupBy;
      if (keys.isEmpty()) {
        groupBy = new GroupBy(stream, null, 1, Rows.of(stream, table));
      } else {
        KeyColumns columns = KeyColumns.of(stream, table, keys, temporaries);
        Groups groups = Groups.of(stream, columns, false, temporaries);
        groupBy = new GroupBy(stream, groups.numbers(), groups.count(), columns.rows());
        DeviceTable selected = table.select(keys.toArray(String[]::new));
        results.addAll(Gather.columns(stream, selected, groups.rows(), temporaries));
      }
      for (Aggregate aggregate : aggregates) {
        results.add(temporaries.add(groupBy.column(table, aggregate)));
      }
      return Columns.table(stream, results, groupBy.groupCount, temporaries);
    }
  }

  private DeviceColumn<?> column(DeviceTable table, Aggregate aggregate) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      Evaluation evaluation = new Evaluation(stream, table, temporaries);
      Value result =
          aggregate.function() == Aggregate.Function.COUNT
              ? count(evaluation, aggregate, temporaries)
              : value(evaluation, aggregate, temporaries);
      return Columns.of(stream, aggregate.name(), result, groupCount);
    }
  }

  private Value count(Evaluation evaluation, Aggregate aggregate, Temporaries temporaries) {
    ReadableArray<byte[]> known = evaluation.knownOf(aggregate.operand());
    DeviceArray<long[]> counts = temporaries.zeros(long[].class, groupCount);
    add(aggregate.function().code(), null, known, null, counts);
    return Value.of(ColumnType.INT64, counts, null);
  }

  private Value value(Evaluation evaluation, Aggregate aggregate, Temporaries temporaries) {
    Value operand = evaluation.of(aggregate.operand());
    if (addsUp(aggregate) && !Types.isNumber(operand)) {
      throw new IllegalArgumentException(
          "aggregate '"
              + aggregate.name()
              + "' adds up "
              + operand.type()
              + "; sums and averages are those of numbers");
    }
    boolean isOrdered = operand.isFloating() && !addsUp(aggregate);
    if (isOrdered) {
      operand = evaluation.toggled(operand);
    }
    DeviceArray<long[]> results = temporaries.array(long[].class, groupCount);
    DeviceArray<long[]> counts = temporaries.zeros(long[].class, groupCount);
    int code =
        operand.isFloating() && addsUp(aggregate) ? SUM_DOUBLES : aggregate.function().code();
    AggregateKernels kernels = AggregateKernelsLauncher.on(stream);
    kernels.start(code, results, groupCount);
    add(code, Evaluation.numbersOf(operand), operand.known(), results, counts);
    DeviceArray<byte[]> known = temporaries.array(byte[].class, groupCount);
    kernels.knownResults(counts, known, groupCount);
    Value result = Value.of(operand.type(), results, known);
    Evaluation ofGroups = evaluation.ofRows(groupCount);
    if (aggregate.function() == Aggregate.Function.AVERAGE) {
      return ofGroups.quotient(result, Value.of(ColumnType.INT64, counts, null));
    }
    return isOrdered ? ofGroups.toggled(result) : result;
  }

  private static boolean addsUp(Aggregate aggregate) {
    return aggregate.function() == Aggregate.Function.SUM
        || aggregate.function() == Aggregate.Function.AVERAGE;
  }

  private void add(
      int code,
      @Nullable ReadableArray<long[]> numbers,
      @Nullable ReadableArray<byte[]> known,
      @Nullable DeviceArray<long[]> results,
      DeviceArray<long[]> counts) {
    AggregateKernels kernels = AggregateKernelsLauncher.on(stream);
    if (groupCount > GROUPS_OF_BLOCK) {
      kernels.addToMemory(code, numbers, known, groups, results, counts, rows);
    } else if (groupCount > GROUPS_OF_THREAD) {
      kernels.addInBlocks(
          code, numbers, known, groups, results, counts, groupCount, rows, loopingOverRows());
    } else {
      kernels.addInThreads(
          code, numbers, known, groups, results, counts, groupCount, rows, loopingOverRows());
    }
  }

  /** Enough blocks to keep the device busy, each with as many rows as possible. */
  private LaunchShape loopingOverRows() {
    int most = BLOCKS_PER_MULTIPROCESSOR * stream.runtime().info().multiprocessors();
    return LaunchShape.of(Math.min(rows / BLOCK + 1, most), BLOCK);
  }
}

package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.cookbook.PrefixSums;

/**
 * Numbers of rows of a table, in device memory.
 *
 * @param numbers at least as many as the count; a negative one stands for no row
 * @param count how many rows there are
 */
record Rows(DeviceArray<int[]> numbers, int count) {
  /** The most rows of a table: the launches' last block must not go beyond 2³¹ threads. */
  static final int MOST = Integer.MAX_VALUE - 256;

  /**
   * The number of logical rows of a table. Waits for the device unless the host has it.
   *
   * @throws IllegalArgumentException if there are more than {@link #MOST}
   */
  static int of(DeviceStream stream, DeviceTable table) {
    return require(table.rows(stream), "a table");
  }

  /**
   * A number of rows that an operator can handle.
   *
   * @param what has the rows
   * @throws IllegalArgumentException if it is more than {@link #MOST}
   */
  static int require(long rows, String what) {
    if (rows > MOST) {
      throw new IllegalArgumentException(
          what + " of " + rows + " rows; operators take up to " + MOST);
    }
    return (int) rows;
  }

  /** The rows for which a condition is true, in order. Waits for the device. */
  static Rows where(DeviceStream stream, Value condition, int rows, Temporaries temporaries) {
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<int[]> marks = own.array(int[].class, rows);
      RowKernelsLauncher.on(stream)
          .markTrue(Evaluation.numbersOf(condition), condition.known(), marks, rows);
      return marked(stream, marks, rows, temporaries);
    }
  }

  /** The rows whose mark is 1, in order, of marks that are 0 or 1. Waits for the device. */
  static Rows marked(
      DeviceStream stream, DeviceArray<int[]> marks, int rows, Temporaries temporaries) {
    try (DeviceArray<int[]> places = PrefixSums.of(stream, marks)) {
      return placed(stream, places, rows, temporaries);
    }
  }

  /** As {@link #marked}, with the prefix sums of the marks. */
  static Rows placed(
      DeviceStream stream, DeviceArray<int[]> places, int rows, Temporaries temporaries) {
    int count = DeviceArrays.getInt(places, stream, rows);
    DeviceArray<int[]> numbers = temporaries.array(int[].class, count);
    RowKernelsLauncher.on(stream).markedRows(places, numbers, rows);
    return new Rows(numbers, count);
  }

  /** All rows of a table, in order. */
  static Rows all(DeviceStream stream, int rows, Temporaries temporaries) {
    DeviceArray<int[]> numbers = temporaries.array(int[].class, rows);
    RowKernelsLauncher.on(stream).allRows(numbers, rows);
    return new Rows(numbers, rows);
  }

  /** The first of these rows. */
  Rows first(int most) {
    return new Rows(numbers, Math.min(most, count));
  }
}

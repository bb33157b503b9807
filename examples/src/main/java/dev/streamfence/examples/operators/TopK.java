package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.util.List;

/** The first rows of a table in an order. */
public final class TopK {
  private static final int BITS = 8;

  /** Below it, a sort of all rows is as fast. */
  private static final int FEW_ROWS = 1 << 14;

  private TopK() {}

  /**
   * Returns the rows that {@link Sort} would put first, in order: {@code k}, or all if there are
   * fewer. If the first key is a number without nulls, only the rows that come into question are
   * sorted. Waits for the device.
   *
   * @throws IllegalArgumentException if {@code k} is negative, there is no key, or the table does
   *     not have a column of a key
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  public static DeviceTable of(DeviceStream stream, DeviceTable table, int k, SortKey... keys) {
    if (k < 0) {
      throw new IllegalArgumentException("k = " + k + " is negative");
    }
    if (keys.length == 0) {
      throw new IllegalArgumentException("top-k needs a sort key");
    }
    return of(stream, table, k, FEW_ROWS, List.of(keys));
  }

  static DeviceTable of(
      DeviceStream stream, DeviceTable table, int k, int fewRows, List<SortKey> keys) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      SortOrder order = new SortOrder(stream, table, keys, temporaries);
      int n = Rows.of(stream, table);
      Rows all = Rows.all(stream, n, temporaries);
      boolean isText = Types.isText(table.column(keys.get(0).column()).type());
      boolean isSelected = n > fewRows && k > 0 && k < n && !isText;
      Rows candidates =
          isSelected
              ? candidates(stream, order.numbers(keys.get(0)), keys.get(0), all, k, temporaries)
              : all;
      return Gather.table(stream, table, order.sorted(candidates).first(k));
    }
  }

  /** The rows whose first key is not beyond that of row {@code k} in the order. */
  private static Rows candidates(
      DeviceStream stream, Value numbers, SortKey key, Rows all, int k, Temporaries temporaries) {
    if (numbers.known() != null) {
      return all;
    }
    int n = all.count();
    SortKernels kernels = SortKernelsLauncher.on(stream);
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<long[]> keys = own.array(long[].class, n);
      kernels.sortKeys(
          Evaluation.numbersOf(numbers), null, all.numbers(), SortOrder.flip(key), keys, n);
      DeviceArray<int[]> marks = own.array(int[].class, n);
      kernels.markAtMost(keys, threshold(stream, keys, n, k, own), marks, n);
      return Rows.marked(stream, marks, n, temporaries);
    }
  }

  /** The key of row {@code k} in the order, found byte by byte, the highest first. */
  private static long threshold(
      DeviceStream stream, DeviceArray<long[]> keys, int n, int k, Temporaries own) {
    SortKernels kernels = SortKernelsLauncher.on(stream);
    DeviceArray<int[]> counts = own.array(int[].class, 1 << BITS);
    long prefix = 0;
    int before = 0;
    for (int shift = Long.SIZE - BITS; shift >= 0; shift -= BITS) {
      counts.fill(stream, 0);
      kernels.countCandidates(keys, prefix, shift, counts, n);
      int[] byByte = counts.download(stream);
      int candidate = 0;
      while (before + byByte[candidate] < k) {
        before += byByte[candidate];
        candidate++;
      }
      prefix = prefix << BITS | candidate;
    }
    return prefix;
  }
}

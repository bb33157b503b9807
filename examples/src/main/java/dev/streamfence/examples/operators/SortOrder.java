package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of a table's rows by some columns. Confined to one thread. */
final class SortOrder {
  private static final int BYTES_PER_KEY = 7;

  private final DeviceStream stream;
  private final DeviceTable table;
  private final List<SortKey> keys;
  private final int rows;
  private final Temporaries temporaries;
  private final SortKernels kernels;

  /**
   * An order by columns, the first one most.
   *
   * @param temporaries own all arrays
   */
  SortOrder(DeviceStream stream, DeviceTable table, List<SortKey> keys, Temporaries temporaries) {
    this.stream = stream;
    this.table = table;
    this.keys = keys;
    this.rows = Rows.of(stream, table);
    this.temporaries = temporaries;
    this.kernels = SortKernelsLauncher.on(stream);
  }

  /** Sorts rows of the table. */
  Rows sorted(Rows unsorted) {
    RadixSort sort = new RadixSort(stream, unsorted, temporaries);
    for (int i = keys.size() - 1; i >= 0; i--) {
      by(keys.get(i), sort);
    }
    return sort.rows();
  }

  private void by(SortKey key, RadixSort sort) {
    ReadableColumn<?> column = table.column(key.column());
    ColumnValues values = new ColumnValues(stream, temporaries, rows);
    if (column.type().equals(ColumnType.UTF8)) {
      ReadableArray<byte[]> known = values.known(column);
      byText(column, known, rows, sort, key);
      byNulls(known, sort, key);
    } else if (column.type() instanceof DictionaryType dictionary) {
      byDictionary(column, dictionary, values, sort, key);
    } else {
      byNumbers(numbers(key), sort, key);
    }
  }

  /**
   * The numbers of a key's column, in the order of the values.
   *
   * @throws IllegalArgumentException if it holds text
   */
  Value numbers(SortKey key) {
    Evaluation evaluation = new Evaluation(stream, table, temporaries);
    Value value = evaluation.of(Expression.column(key.column()));
    return value.isFloating() ? evaluation.toggled(value) : value;
  }

  /** What turns numbers into keys: the sign comes first, or last in a descending order. */
  static long flip(SortKey key) {
    return key.isDescending() ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  private void byNumbers(Value value, RadixSort sort, SortKey key) {
    Rows order = sort.rows();
    kernels.sortKeys(
        Evaluation.numbersOf(value),
        value.known(),
        order.numbers(),
        flip(key),
        sort.keys(),
        order.count());
    sort.byKeys();
    byNulls(value.known(), sort, key);
  }

  private void byNulls(@Nullable ReadableArray<byte[]> known, RadixSort sort, SortKey key) {
    if (known != null) {
      Rows order = sort.rows();
      int flip = key.areNullsFirst() ? 0 : 1;
      kernels.nullKeys(known, order.numbers(), flip, sort.keys(), order.count());
      sort.byKeys();
    }
  }

  /**
   * Sorts by the last bytes first.
   *
   * @param count of the column's texts; what follows them may be anything
   */
  private void byText(
      ReadableColumn<?> column,
      @Nullable ReadableArray<byte[]> known,
      int count,
      RadixSort sort,
      SortKey key) {
    int length = longest(column, count);
    for (int from = (length - 1) / BYTES_PER_KEY * BYTES_PER_KEY;
        from >= 0;
        from -= BYTES_PER_KEY) {
      byBytes(column, known, from, sort, key);
    }
  }

  private void byBytes(
      ReadableColumn<?> column,
      @Nullable ReadableArray<byte[]> known,
      int from,
      RadixSort sort,
      SortKey key) {
    Rows order = sort.rows();
    kernels.textKeys(
        column.offsets(),
        Columns.view(column.values(), byte[].class),
        known,
        order.numbers(),
        from,
        key.isDescending() ? -1L : 0L,
        sort.keys(),
        order.count());
    sort.byKeys();
  }

  private int longest(ReadableColumn<?> column, int count) {
    DeviceArray<int[]> longest = temporaries.zeros(int[].class, 1);
    kernels.longestText(column.offsets(), longest, count);
    return DeviceArrays.getInt(longest, stream, 0);
  }

  /** Sorts the dictionary, and the rows by the places of their entries in it. */
  private void byDictionary(
      ReadableColumn<?> column,
      DictionaryType type,
      ColumnValues values,
      RadixSort sort,
      SortKey key) {
    ReadableColumn<byte[]> entries = column.dictionary();
    int count = Rows.require(entries.length(), "a dictionary");
    RadixSort ofEntries = new RadixSort(stream, Rows.all(stream, count, temporaries), temporaries);
    byText(entries, null, count, ofEntries, SortKey.ascending(key.column()));
    DeviceArray<long[]> ranks = temporaries.array(long[].class, count);
    kernels.rankTexts(
        entries.offsets(),
        Columns.view(entries.values(), byte[].class),
        ofEntries.rows().numbers(),
        ranks,
        count);
    ReadableArray<byte[]> knownEntries =
        new ColumnValues(stream, temporaries, count).known(entries);
    Value rankOfEntries = Value.of(ColumnType.INT64, ranks, knownEntries);
    byNumbers(values.ofDictionary(column, type, rankOfEntries), sort, key);
  }
}

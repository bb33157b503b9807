package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a key as numbers that are equal if the values are. The number of a text is the
 * first row that a hash table found it in. Confined to one thread.
 */
final class KeyColumns {
  private final DeviceStream stream;
  private final List<ReadableColumn<?>> columns;
  private final int rows;
  private final Keys keys;
  private final List<@Nullable TextTable> texts = new ArrayList<>();

  private KeyColumns(
      DeviceStream stream,
      DeviceTable table,
      List<String> names,
      @Nullable KeyColumns build,
      Temporaries temporaries) {
    this.stream = stream;
    this.rows = Rows.of(stream, table);
    this.columns = names.stream().<ReadableColumn<?>>map(table::column).toList();
    List<ReadableArray<long[]>> numbers = new ArrayList<>();
    List<ReadableArray<byte[]>> known = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      Value value =
          Types.isText(columns.get(i).type())
              ? text(columns.get(i), build == null ? null : build.texts.get(i), temporaries)
              : number(columns.get(i), temporaries);
      if (texts.size() <= i) {
        texts.add(null);
      }
      numbers.add(Evaluation.numbersOf(value));
      ReadableArray<byte[]> nulls = value.known();
      known.add(nulls == null ? temporaries.array(byte[].class, 0) : nulls);
    }
    this.keys = new Keys(numbers, known, columns.size());
  }

  /**
   * The key of a table by itself.
   *
   * @param temporaries own the arrays of the key
   */
  static KeyColumns of(
      DeviceStream stream, DeviceTable table, List<String> names, Temporaries temporaries) {
    return new KeyColumns(stream, table, names, null, temporaries);
  }

  /**
   * The key of another table, with the same numbers for the same texts.
   *
   * @throws IllegalArgumentException if its columns do not go with those of this key
   */
  KeyColumns probe(
      DeviceStream on, DeviceTable table, List<String> names, Temporaries temporaries) {
    if (names.size() != columns.size()) {
      throw new IllegalArgumentException(
          "the key "
              + names
              + " does not have as many columns as the key of the build side, "
              + names());
    }
    for (int i = 0; i < names.size(); i++) {
      requireAlike(columns.get(i), table.column(names.get(i)));
    }
    return new KeyColumns(on, table, names, this, temporaries);
  }

  /** The numbers of the rows. */
  Keys keys() {
    return keys;
  }

  /** The names of the columns. */
  List<String> names() {
    return columns.stream().map(ReadableColumn::name).toList();
  }

  /** How many rows there are. */
  int rows() {
    return rows;
  }

  private static void requireAlike(ReadableColumn<?> build, ReadableColumn<?> probe) {
    boolean isText = Types.isText(build.type());
    boolean areAlike =
        isText == Types.isText(probe.type())
            && (isText
                || ColumnValues.typeOf(build.type()).equals(ColumnValues.typeOf(probe.type())));
    if (!areAlike) {
      throw new IllegalArgumentException(
          "column '"
              + probe.name()
              + "' is "
              + probe.type()
              + " and column '"
              + build.name()
              + "' is "
              + build.type()
              + "; a join compares columns of one kind");
    }
  }

  /** Doubles that are equal as keys can differ in their bits: 0 and -0, and all NaN. */
  private Value number(ReadableColumn<?> column, Temporaries temporaries) {
    Value value = new ColumnValues(stream, temporaries, rows).numbers(column);
    if (!value.isFloating()) {
      return value;
    }
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    ExpressionKernelsLauncher.on(stream)
        .map(Evaluation.UNIFY, Evaluation.numbersOf(value), 1, numbers, rows);
    return Value.of(value.type(), numbers, value.known());
  }

  private Value text(ReadableColumn<?> column, @Nullable TextTable build, Temporaries temporaries) {
    ColumnValues values = new ColumnValues(stream, temporaries, rows);
    if (column.type() instanceof DictionaryType dictionary) {
      ReadableColumn<byte[]> entries = column.dictionary();
      int count = Rows.require(entries.length(), "a dictionary");
      ColumnValues ofEntries = new ColumnValues(stream, temporaries, count);
      Value entryNumbers = numbered(entries, ofEntries.known(entries), count, build, temporaries);
      return values.ofDictionary(column, dictionary, entryNumbers);
    }
    return numbered(column, values.known(column), rows, build, temporaries);
  }

  private Value numbered(
      ReadableColumn<?> column,
      @Nullable ReadableArray<byte[]> known,
      int count,
      @Nullable TextTable build,
      Temporaries temporaries) {
    Texts own = new Texts(column.offsets(), Columns.view(column.values(), byte[].class));
    DeviceArray<long[]> numbers = temporaries.array(long[].class, count);
    GroupKernels kernels = GroupKernelsLauncher.on(stream);
    if (build == null) {
      int slots = Groups.slotsFor(count);
      DeviceArray<int[]> owners = temporaries.zeros(int[].class, slots);
      kernels.claimTexts(own, known, owners, slots - 1, numbers, count);
      texts.add(new TextTable(own, owners, slots - 1));
    } else {
      kernels.findTexts(own, known, build.texts, build.owners, build.mask, numbers, count);
    }
    return Value.of(ColumnType.INT64, numbers, known);
  }

  /** The hash table of a column of text. */
  private record TextTable(Texts texts, DeviceArray<int[]> owners, int mask) {}
}

package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.examples.cookbook.PrefixSums;
import java.util.ArrayList;
import java.util.List;

/** Copies of some rows of columns. Confined to one thread. */
final class Gather {
  private final DeviceStream stream;
  private final Rows rows;
  private final boolean mayMiss;

  private Gather(DeviceStream stream, Rows rows, boolean mayMiss) {
    this.stream = stream;
    this.rows = rows;
    this.mayMiss = mayMiss;
  }

  /**
   * A table of some rows of a table. Waits for the device for each column of text.
   *
   * @throws IllegalArgumentException if the texts of a column together take more than 2 GiB
   */
  static DeviceTable table(DeviceStream stream, DeviceTable table, Rows rows) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      return Columns.table(
          stream, columns(stream, table, rows, temporaries), rows.count(), temporaries);
    }
  }

  /** The columns of such a table. */
  static List<DeviceColumn<?>> columns(
      DeviceStream stream, DeviceTable table, Rows rows, Temporaries temporaries) {
    return new Gather(stream, rows, false).all(table, temporaries);
  }

  /** The same, with null in all columns where a row is negative. */
  static List<DeviceColumn<?>> columnsOrNulls(
      DeviceStream stream, DeviceTable table, Rows rows, Temporaries temporaries) {
    return new Gather(stream, rows, true).all(table, temporaries);
  }

  private List<DeviceColumn<?>> all(DeviceTable table, Temporaries temporaries) {
    List<DeviceColumn<?>> columns = new ArrayList<>();
    for (ReadableColumn<?> column : table.columns()) {
      columns.add(temporaries.add(column(column)));
    }
    return columns;
  }

  private DeviceColumn<?> column(ReadableColumn<?> column) {
    ColumnField field =
        mayMiss ? ColumnField.nullable(column.name(), column.type()) : column.field();
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<byte[]> validity = validity(column, own);
      DeviceColumn<?> gathered;
      if (column.type().equals(ColumnType.UTF8)) {
        gathered = text(column, field, validity, own);
      } else if (column.type().equals(ColumnType.BOOL)) {
        DeviceArray<byte[]> bits =
            bits(Columns.view(column.values(), byte[].class), column.bitOffset(), own);
        gathered = DeviceColumn.ofBits(field, rows.count(), bits, validity);
        own.handOver(bits);
      } else if (column.type() instanceof DictionaryType dictionary) {
        gathered = codes(column, dictionary, field, validity, own);
      } else {
        gathered = values(column, field, validity, own);
      }
      own.handOver(validity);
      return gathered;
    }
  }

  private DeviceArray<byte[]> validity(ReadableColumn<?> column, Temporaries own) {
    ReadableArray<byte[]> validity = column.validity();
    if (validity.length() == 0 && !mayMiss) {
      return own.array(byte[].class, 0);
    }
    return bits(validity, column.validityOffset(), own);
  }

  private DeviceArray<byte[]> bits(ReadableArray<byte[]> bits, int offset, Temporaries own) {
    int bytes = Columns.bytesOfBits(rows.count());
    DeviceArray<byte[]> gathered = own.array(byte[].class, bytes);
    RowKernelsLauncher.on(stream)
        .gatherBits(
            bits.length() == 0 ? null : bits,
            offset,
            rows.numbers(),
            gathered,
            rows.count(),
            bytes);
    return gathered;
  }

  private <A> DeviceColumn<A> values(
      ReadableColumn<A> column, ColumnField field, DeviceArray<byte[]> validity, Temporaries own) {
    @SuppressWarnings("unchecked") // The array type of a column is that of its values.
    Class<A> arrayType = (Class<A>) column.type().arrayType();
    DeviceArray<A> gathered = elements(column.values(), arrayType, own);
    DeviceColumn<A> result = DeviceColumn.of(field, gathered, validity);
    own.handOver(gathered);
    return result;
  }

  private <A> DeviceColumn<A> codes(
      ReadableColumn<A> column,
      DictionaryType type,
      ColumnField field,
      DeviceArray<byte[]> validity,
      Temporaries own) {
    @SuppressWarnings("unchecked") // As above.
    Class<A> arrayType = (Class<A>) type.arrayType();
    DeviceArray<A> gathered = elements(column.values(), arrayType, own);
    ReadableColumn<byte[]> entries = column.dictionary();
    DeviceColumn<byte[]> dictionary = own.add(copyOf(entries));
    DeviceColumn<A> result = DeviceColumn.ofDictionary(field, gathered, validity, dictionary);
    own.handOver(gathered);
    own.handOver(dictionary);
    return result;
  }

  /** The whole dictionary, for which nothing has to be asked of the device. */
  private DeviceColumn<byte[]> copyOf(ReadableColumn<byte[]> entries) {
    int count = Rows.require(entries.length(), "a dictionary");
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<int[]> offsets = own.add(entries.offsets().copy(stream));
      DeviceArray<byte[]> text = own.add(entries.values().copy(stream));
      Gather all = new Gather(stream, Rows.all(stream, count, own), false);
      DeviceArray<byte[]> validity = all.validity(entries, own);
      DeviceColumn<byte[]> copy = DeviceColumn.ofText(entries.field(), offsets, text, validity);
      own.handOver(offsets);
      own.handOver(text);
      own.handOver(validity);
      return copy;
    }
  }

  private <A> DeviceArray<A> elements(
      ReadableArray<A> values, Class<A> arrayType, Temporaries own) {
    int n = rows.count();
    DeviceArray<A> gathered = own.array(arrayType, n);
    RowKernels kernels = RowKernelsLauncher.on(stream);
    switch (values.elementType().sizeInBytes()) {
      case Byte.BYTES ->
          kernels.gatherBytes(
              Columns.view(values, byte[].class),
              rows.numbers(),
              Columns.view(gathered, byte[].class),
              n);
      case Short.BYTES ->
          kernels.gatherShorts(
              Columns.view(values, short[].class),
              rows.numbers(),
              Columns.view(gathered, short[].class),
              n);
      case Integer.BYTES ->
          kernels.gatherInts(
              Columns.view(values, int[].class),
              rows.numbers(),
              Columns.view(gathered, int[].class),
              n);
      default ->
          kernels.gatherLongs(
              Columns.view(values, long[].class),
              rows.numbers(),
              Columns.view(gathered, long[].class),
              n);
    }
    return gathered;
  }

  private DeviceColumn<byte[]> text(
      ReadableColumn<?> column, ColumnField field, DeviceArray<byte[]> validity, Temporaries own) {
    int n = rows.count();
    RowKernels kernels = RowKernelsLauncher.on(stream);
    DeviceArray<int[]> lengths = own.array(int[].class, n);
    DeviceArray<long[]> total = own.zeros(long[].class, 1);
    kernels.textLengths(column.offsets(), rows.numbers(), lengths, total, n);
    DeviceArray<int[]> offsets = own.add(PrefixSums.of(stream, lengths));
    long bytes = DeviceArrays.getLong(total, stream, 0);
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "the texts of column '"
              + column.name()
              + "' take "
              + bytes
              + " bytes in "
              + n
              + " rows; offsets of 32 bits reach "
              + Integer.MAX_VALUE);
    }
    DeviceArray<byte[]> text = own.array(byte[].class, bytes);
    kernels.gatherText(
        column.offsets(),
        Columns.view(column.values(), byte[].class),
        rows.numbers(),
        offsets,
        text,
        n);
    DeviceColumn<byte[]> result = DeviceColumn.ofText(field, offsets, text, validity);
    own.handOver(offsets);
    own.handOver(text);
    return result;
  }
}

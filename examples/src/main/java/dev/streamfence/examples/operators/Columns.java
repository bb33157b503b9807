package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** New columns of vectors, and tables of them. */
final class Columns {
  private Columns() {}

  /** The elements of an array, as another type of the same size. */
  static <B> ReadableArray<B> view(ReadableArray<?> values, Class<B> arrayType) {
    return values.view(0, values.length()).reinterpret(arrayType);
  }

  /** The same of an array that can be written. */
  static <B> DeviceArray<B> view(DeviceArray<?> values, Class<B> arrayType) {
    return values.view(0, values.length()).reinterpret(arrayType);
  }

  /** The bytes of a bitmap. */
  static int bytesOfBits(int bits) {
    return (int) ((bits + 7L) / 8);
  }

  /**
   * A table that takes columns over.
   *
   * @param temporaries own the columns so far
   */
  static DeviceTable table(
      DeviceStream stream, List<DeviceColumn<?>> columns, int rows, Temporaries temporaries) {
    Schema schema =
        Schema.of(columns.stream().map(ReadableColumn::field).toArray(ColumnField[]::new));
    DeviceTable table = DeviceTable.of(stream, schema, columns, rows);
    columns.forEach(temporaries::handOver);
    return table;
  }

  /** A column of a value, of the type that the value has. Does not wait for the device. */
  static DeviceColumn<?> of(DeviceStream stream, String name, Value value, int rows) {
    ColumnField field =
        value.known() == null
            ? ColumnField.of(name, value.type())
            : ColumnField.nullable(name, value.type());
    ReadableArray<long[]> numbers = Evaluation.numbersOf(value);
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<byte[]> validity = packed(stream, value.known(), rows, own);
      DeviceColumn<?> column = column(stream, field, numbers, validity, rows, own);
      own.handOver(validity);
      return column;
    }
  }

  private static DeviceColumn<?> column(
      DeviceStream stream,
      ColumnField field,
      ReadableArray<long[]> numbers,
      DeviceArray<byte[]> validity,
      int rows,
      Temporaries own) {
    ExpressionKernels kernels = ExpressionKernelsLauncher.on(stream);
    if (field.type().equals(ColumnType.DATE32)) {
      DeviceArray<int[]> days = own.array(int[].class, rows);
      kernels.narrowInts(numbers, days, rows);
      return handedOver(DeviceColumn.of(field, days, validity), days, own);
    }
    if (field.type().equals(ColumnType.BOOL8)) {
      DeviceArray<boolean[]> flags = own.array(boolean[].class, rows);
      kernels.narrowFlags(numbers, flags, rows);
      return handedOver(DeviceColumn.of(field, flags, validity), flags, own);
    }
    if (field.type().equals(ColumnType.FLOAT64)) {
      DeviceArray<double[]> doubles = own.array(double[].class, rows);
      view(doubles, long[].class).copyFrom(stream, 0, numbers, 0, rows);
      return handedOver(DeviceColumn.of(field, doubles, validity), doubles, own);
    }
    DeviceArray<long[]> copy = own.array(long[].class, rows);
    copy.copyFrom(stream, 0, numbers, 0, rows);
    return handedOver(DeviceColumn.of(field, copy, validity), copy, own);
  }

  private static DeviceColumn<?> handedOver(
      DeviceColumn<?> column, DeviceArray<?> values, Temporaries own) {
    own.handOver(values);
    return column;
  }

  private static DeviceArray<byte[]> packed(
      DeviceStream stream, @Nullable ReadableArray<byte[]> known, int rows, Temporaries own) {
    if (known == null) {
      return own.array(byte[].class, 0);
    }
    int bytes = bytesOfBits(rows);
    DeviceArray<byte[]> validity = own.array(byte[].class, bytes);
    ExpressionKernelsLauncher.on(stream).packValidity(known, validity, rows, bytes);
    return validity;
  }
}

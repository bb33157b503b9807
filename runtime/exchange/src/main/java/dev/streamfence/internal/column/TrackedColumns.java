package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.memory.ArrayAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;

/** Makes columns and tables. Stateless and thread-safe. */
public final class TrackedColumns {
  private TrackedColumns() {}

  /** The memory of a stream's runtime. */
  public static ArrayAllocator memoryOf(DeviceStream stream) {
    return of(stream).memory();
  }

  public static <A> TrackedColumn<A> readable(ColumnField field, ReadableArray<A> values) {
    return elements(field, values).readOnly().build();
  }

  public static <A> TrackedColumn<A> readable(
      ColumnField field, ReadableArray<A> values, ReadableArray<byte[]> validity) {
    return elements(field, values).validity(validity, 0).readOnly().build();
  }

  public static <A> WritableColumn<A> column(ColumnField field, DeviceArray<A> values) {
    return elements(field, values).buildWritable();
  }

  public static <A> WritableColumn<A> column(
      ColumnField field, DeviceArray<A> values, DeviceArray<byte[]> validity) {
    return elements(field, values).validity(validity, 0).buildWritable();
  }

  public static WritableColumn<byte[]> bits(
      ColumnField field, long length, DeviceArray<byte[]> bits, DeviceArray<byte[]> validity) {
    Objects.requireNonNull(bits, "bits");
    requireType(field, ColumnType.BOOL);
    return new ColumnDraft<>(field, length, bits).validity(validity, 0).buildWritable();
  }

  public static WritableColumn<byte[]> text(
      ColumnField field,
      DeviceArray<int[]> offsets,
      DeviceArray<byte[]> text,
      DeviceArray<byte[]> validity) {
    Objects.requireNonNull(offsets, "offsets");
    Objects.requireNonNull(text, "text");
    requireType(field, ColumnType.UTF8);
    return new ColumnDraft<>(field, Math.max(0, offsets.length() - 1), text)
        .offsets(offsets)
        .validity(validity, 0)
        .buildWritable();
  }

  public static <A> WritableColumn<A> dictionary(
      ColumnField field,
      DeviceArray<A> indices,
      DeviceArray<byte[]> validity,
      DeviceColumn<byte[]> dictionary) {
    Objects.requireNonNull(indices, "indices");
    return new ColumnDraft<>(field, indices.length(), indices)
        .validity(validity, 0)
        .dictionary(dictionary)
        .buildWritable();
  }

  public static <A> WritableColumn<A> allocate(
      DeviceStream stream,
      ArrayAllocator memory,
      ColumnField field,
      Class<A> arrayType,
      long length) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(arrayType, "arrayType");
    requireAllocatable(field);
    return allocate(stream, memory, field, arrayType, length, "");
  }

  public static TrackedTable allocate(
      DeviceStream stream, ArrayAllocator memory, Schema schema, long capacity, String tag) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(tag, "tag");
    schema.fields().forEach(TrackedColumns::requireAllocatable);
    TrackedTable.requireCapacity(schema, capacity);
    return table(
        stream,
        memory,
        schema,
        i -> {
          ColumnField field = schema.field(i);
          return allocate(stream, memory, field, field.type().arrayType(), capacity, tag);
        },
        capacity,
        0,
        tag);
  }

  public static TrackedTable upload(
      DeviceStream stream, ArrayAllocator memory, Schema schema, String tag, Object... columns) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(tag, "tag");
    Objects.requireNonNull(columns, "columns");
    // A single String[] is taken for the arguments themselves.
    Object[] arrays = columns instanceof String[] ? new Object[] {columns} : columns;
    int rows = HostColumns.requireRows(schema, arrays);
    return table(
        stream,
        memory,
        schema,
        i -> HostColumns.upload(stream, memory, schema.field(i), arrays[i], tag),
        rows,
        rows,
        tag);
  }

  /** A table of new columns, which are closed again if one of them fails. */
  private static TrackedTable table(
      DeviceStream stream,
      ArrayAllocator memory,
      Schema schema,
      IntFunction<TrackedColumn<?>> columnOf,
      long capacity,
      long rows,
      String tag) {
    List<TrackedColumn<?>> columns = new ArrayList<>(schema.columnCount());
    try {
      for (int i = 0; i < schema.columnCount(); i++) {
        columns.add(columnOf.apply(i));
      }
      RowCount count = RowCount.allocate(stream, memory, rows, tag);
      return own(of(stream), schema, columns, capacity, count);
    } catch (Throwable e) {
      List<Runnable> closes = new ArrayList<>();
      columns.forEach(column -> closes.add(column::close));
      Owned.by(closes).closeAfter(e);
      throw e;
    }
  }

  public static DeviceTable table(
      DeviceStream stream,
      ArrayAllocator memory,
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long rows) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(memory, "memory");
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(columns, "columns");
    TrackedRuntime runtime = of(stream);
    long capacity = columns.isEmpty() ? rows : columns.get(0).length();
    List<TrackedColumn<?>> fitting = TrackedTable.fitting(runtime, schema, columns, capacity);
    if (rows < 0 || rows > capacity) {
      throw new IllegalArgumentException(
          rows + " logical rows of a table " + schema + " with room for " + capacity + " rows");
    }
    return own(runtime, schema, fitting, capacity, RowCount.allocate(stream, memory, rows, ""));
  }

  /** A table of columns and a new number of rows, which is closed again if that fails. */
  private static TrackedTable own(
      TrackedRuntime runtime,
      Schema schema,
      List<TrackedColumn<?>> columns,
      long capacity,
      RowCount count) {
    try {
      return TrackedTable.of(runtime, schema, columns, capacity, count);
    } catch (Throwable e) {
      Owned.by(count::close).closeAfter(e);
      throw e;
    }
  }

  public static DeviceTable table(
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long capacity,
      DeviceArray<int[]> rowCount) {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(rowCount, "rowCount");
    WritableArray<int[]> count = WritableArray.of(rowCount);
    if (count.length() != 1) {
      throw new IllegalArgumentException(
          "the number of rows of a table " + schema + " is one element, not " + count.length());
    }
    TrackedRuntime runtime = count.runtime();
    List<TrackedColumn<?>> fitting = TrackedTable.fitting(runtime, schema, columns, capacity);
    return TrackedTable.of(runtime, schema, fitting, capacity, new RowCount(count));
  }

  private static <A> WritableColumn<A> allocate(
      DeviceStream stream,
      ArrayAllocator memory,
      ColumnField field,
      Class<A> arrayType,
      long length,
      String table) {
    if (field.type().arrayType() != arrayType) {
      throw new IllegalArgumentException(
          "column '"
              + field.name()
              + "' ("
              + field.type()
              + ") takes values of "
              + field.type().arrayType().getSimpleName()
              + ", not of "
              + arrayType.getSimpleName());
    }
    long bytes = length < 0 ? length : length / 8 + (length % 8 == 0 ? 0 : 1);
    boolean isBits = field.type() == ColumnType.BOOL;
    String tag = of("column '" + field.name() + "'", table);
    List<Runnable> closes = new ArrayList<>();
    try {
      DeviceArray<A> values = memory.allocate(stream, arrayType, isBits ? bytes : length, tag);
      closes.add(values::close);
      ColumnDraft<A> draft = new ColumnDraft<>(field, length, values);
      if (field.isNullable()) {
        DeviceArray<byte[]> validity =
            memory.allocate(stream, byte[].class, bytes, "validity of " + tag);
        closes.add(validity::close);
        validity.fill(stream, -1L);
        draft.validity(validity, 0).nullCount(0);
      }
      return draft.buildWritable();
    } catch (Throwable e) {
      Owned.by(closes).closeAfter(e);
      throw e;
    }
  }

  /** A column of the type's elements; refuses a type of which one array says too little. */
  private static <A> ColumnDraft<A> elements(ColumnField field, ReadableArray<A> values) {
    if (Objects.requireNonNull(field, "field").type() == ColumnType.BOOL) {
      throw new IllegalArgumentException(
          "column '" + field.name() + "' (bool) of bytes that hold eight rows; use ofBits");
    }
    return new ColumnDraft<>(field, Objects.requireNonNull(values, "values").length(), values);
  }

  private static void requireType(ColumnField field, ColumnType type) {
    if (Objects.requireNonNull(field, "field").type() != type) {
      throw new IllegalArgumentException(
          "column '" + field.name() + "' (" + field.type() + ") as " + type);
    }
  }

  private static void requireAllocatable(ColumnField field) {
    if (field.type() == ColumnType.UTF8 || field.type() instanceof DictionaryType) {
      throw new IllegalArgumentException(
          "column '"
              + field.name()
              + "' ("
              + field.type()
              + ") cannot be allocated by its length alone; make it of its arrays");
    }
  }

  /** The tag of an array of a table; that of the table may be empty. */
  static String of(String what, String table) {
    return table.isEmpty() ? what : what + " of " + table;
  }

  private static TrackedRuntime of(DeviceStream stream) {
    return TrackedStream.of(stream).runtime();
  }
}

// Long for its documentation: each operation says what it shares, whether it waits and what it
// refuses.
package dev.streamfence.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.column.TrackedColumns;
import dev.streamfence.internal.column.TrackedTable;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.memory.ArrayAllocator;
import java.util.List;
import java.util.OptionalLong;

/**
 * Columns of equal length on the device. The length is the table's <i>capacity</i>: the rows that
 * it has room for. Its <i>logical</i> rows are the first of these; their number is in device
 * memory, and a kernel can write it without the host.
 *
 * <p>{@link #select}, {@link #rename}, {@link #append} and {@link #slice} make tables over the same
 * columns: they copy none, own none, and end with this table. Thread-safe. Every method that
 * returns a table, a column, an array or a number of logical rows throws a {@link
 * UseAfterFreeException} if the table is closed, which names the table and the requested column.
 */
public sealed interface DeviceTable extends AutoCloseable, DeviceValues.Table permits TrackedTable {
  /** The most rows that a table has room for: 2³² − 1. */
  long MAX_CAPACITY = 0xFFFF_FFFFL;

  /**
   * Allocates a table of types of fixed width without logical rows. The values are undefined; at
   * first, the bitmap of a nullable field says that no row is null. Does not synchronise unless
   * memory is short. If something fails, nothing stays allocated.
   *
   * @throws IllegalArgumentException if a field is {@link ColumnType#UTF8} or a dictionary, or the
   *     capacity is negative or too large
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static DeviceTable allocate(DeviceStream stream, Schema schema, long capacity) {
    return allocate(stream, TrackedColumns.memoryOf(stream), schema, capacity);
  }

  /**
   * Allocates a table like {@link #allocate(DeviceStream, Schema, long)}.
   *
   * @param memory allocates the table, such as a part of the runtime's budget or a reservation
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static DeviceTable allocate(
      DeviceStream stream, ArrayAllocator memory, Schema schema, long capacity) {
    return allocate(stream, memory, schema, capacity, "");
  }

  /**
   * Allocates a table with a tag, like {@link #allocate(DeviceStream, ArrayAllocator, Schema,
   * long)}.
   *
   * @param tag its purpose, which the tag of each of its arrays contains, as in {@code column 'key'
   *     of orders}; empty for none
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static DeviceTable allocate(
      DeviceStream stream, ArrayAllocator memory, Schema schema, long capacity, String tag) {
    return TrackedColumns.allocate(stream, memory, schema, capacity, tag);
  }

  /**
   * Uploads a table from a Java array for each column; the length of the arrays is the capacity and
   * the number of logical rows. A column of fixed width is an array of its {@link
   * ColumnType#arrayType}, {@link ColumnType#BOOL} a {@code boolean[]}, and {@link ColumnType#UTF8}
   * a {@code String[]}, in which {@code null} is null. The bitmap of any other nullable field says
   * that no row is null. The Java arrays may be changed as soon as this returns. If something
   * fails, nothing stays allocated.
   *
   * @param columns as many as the schema has fields, all of one length; for a single column of
   *     text, javac asks for a cast to {@code Object}
   * @throws IllegalArgumentException if they do not fit the schema or differ in length, a row of a
   *     field that is not nullable is null, a text contains half of a character, or a field is a
   *     dictionary
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static DeviceTable upload(DeviceStream stream, Schema schema, Object... columns) {
    return upload(stream, TrackedColumns.memoryOf(stream), schema, "", columns);
  }

  /**
   * Uploads a table like {@link #upload(DeviceStream, Schema, Object...)}.
   *
   * @param memory allocates the table, such as a part of the runtime's budget or a reservation
   * @param tag its purpose, see {@link #allocate(DeviceStream, ArrayAllocator, Schema, long,
   *     String)}; empty for none
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static DeviceTable upload(
      DeviceStream stream, ArrayAllocator memory, Schema schema, String tag, Object... columns) {
    return TrackedColumns.upload(stream, memory, schema, tag, columns);
  }

  /**
   * A table of columns, as many as the schema has fields. The table closes the columns; if it is
   * refused, they stay the caller's. Does not synchronise unless memory is short: the number of
   * rows takes four bytes.
   *
   * @param schema names them; the types are those of the columns
   * @param columns all of one length, which is the capacity
   * @param rows how many logical rows there are; the capacity of a table without columns
   * @throws IllegalArgumentException if the columns do not fit the schema or differ in length, one
   *     of them belongs to another table, or there are more rows than the capacity
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   * @throws dev.streamfence.StreamMisuseException if a column belongs to another runtime
   */
  static DeviceTable of(
      DeviceStream stream, Schema schema, List<? extends ReadableColumn<?>> columns, long rows) {
    return of(stream, TrackedColumns.memoryOf(stream), schema, columns, rows);
  }

  /**
   * A table of columns like {@link #of(DeviceStream, Schema, List, long)}.
   *
   * @param memory allocates the number of rows
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   * @throws dev.streamfence.StreamMisuseException if a column belongs to another runtime
   */
  static DeviceTable of(
      DeviceStream stream,
      ArrayAllocator memory,
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long rows) {
    return TrackedColumns.table(stream, memory, schema, columns, rows);
  }

  /**
   * A table of columns whose number of logical rows is on the device. The table closes the columns
   * and the number; if it is refused, they stay the caller's. Makes no driver call.
   *
   * @param schema names them; the types are those of the columns
   * @param columns all as long as the capacity
   * @param rowCount one element, read as an unsigned number
   * @throws IllegalArgumentException if the columns do not fit the schema or the capacity, one of
   *     them belongs to another table, or the number of rows is not one element
   * @throws dev.streamfence.StreamMisuseException if a column belongs to another runtime
   */
  static DeviceTable of(
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long capacity,
      DeviceArray<int[]> rowCount) {
    return TrackedColumns.table(schema, columns, capacity, rowCount);
  }

  /** The names and types of its columns. */
  Schema schema();

  /** The runtime that it belongs to. */
  DeviceRuntime runtime();

  /** How many rows it has room for, independent of the number of logical rows. */
  long capacity();

  /** All columns, in the order of the schema. */
  @Override
  List<ReadableColumn<?>> columns();

  /**
   * A column by position.
   *
   * @throws IllegalArgumentException if the table has no such column
   */
  ReadableColumn<?> column(int index);

  /**
   * A column by name.
   *
   * @throws IllegalArgumentException if none or several have the name
   */
  ReadableColumn<?> column(String name);

  /**
   * A column that can be written, by position.
   *
   * @param arrayType the Java array type of its values
   * @throws IllegalArgumentException if the table has no such column, its values are of another
   *     array type, or it is read-only
   */
  <A> DeviceColumn<A> column(int index, Class<A> arrayType);

  /**
   * A column that can be written, by name.
   *
   * @param arrayType the Java array type of its values
   * @throws IllegalArgumentException if none or several have the name, its values are of another
   *     array type, or it is read-only
   */
  <A> DeviceColumn<A> column(String name, Class<A> arrayType);

  /**
   * A column that may be read-only, by position.
   *
   * @param arrayType the Java array type of its values
   * @throws IllegalArgumentException if the table has no such column, or its values are of another
   *     array type
   */
  <A> ReadableColumn<A> readable(int index, Class<A> arrayType);

  /**
   * A column that may be read-only, by name.
   *
   * @param arrayType the Java array type of its values
   * @throws IllegalArgumentException if none or several have the name, or its values are of another
   *     array type
   */
  <A> ReadableColumn<A> readable(String name, Class<A> arrayType);

  /**
   * The number of logical rows as kernels see it: one element, unsigned. Any write of it, including
   * one by a kernel, changes the number of rows.
   */
  DeviceArray<int[]> rowCount();

  /**
   * The number of logical rows. Waits for a copy of four bytes, unless the host has set or read the
   * number and nothing has written it since.
   *
   * @throws IllegalStateException if the device has counted more rows than the capacity
   */
  long rows(DeviceStream stream);

  /**
   * The number of logical rows, if the host has it without asking the device; empty for a number
   * that {@link #rows} would refuse.
   */
  OptionalLong knownRows();

  /**
   * Sets the number of logical rows. Does not synchronise.
   *
   * @throws IllegalArgumentException if it is negative or more than the capacity
   */
  void setRows(DeviceStream stream, long rows);

  /**
   * Downloads the logical rows: a Java array for each column, as {@link #upload(DeviceStream,
   * Schema, Object...)} takes it, and a {@code String[]} for a dictionary. Waits for the copies,
   * and for the number of rows. The values of null rows are undefined in columns other than text;
   * {@link #downloadValidity} says which rows are null.
   *
   * @throws IllegalArgumentException if there are more rows than a Java array has elements
   * @throws IllegalStateException if the device has counted more rows than the capacity, or has
   *     written offsets that are not in order or numbers that are not rows of the dictionary; or
   *     while {@link DeviceMemory#refuseDownloads} is on
   */
  Object[] download(DeviceStream stream);

  /**
   * Downloads the logical rows of one column, like {@link #download(DeviceStream)}.
   *
   * @param arrayType the type of the Java array, such as {@code int[].class}
   * @throws IllegalArgumentException if none or several columns have the name, its rows do not fit
   *     that type, or there are more rows than a Java array has elements
   * @throws IllegalStateException as there
   */
  <A> A download(DeviceStream stream, String name, Class<A> arrayType);

  /**
   * Downloads whether each logical row of one column has a value: false for null. Waits for the
   * copies.
   *
   * @throws IllegalArgumentException if none or several columns have the name, or there are more
   *     rows than a Java array has elements
   * @throws IllegalStateException as in {@link #download(DeviceStream)}
   */
  boolean[] downloadValidity(DeviceStream stream, String name);

  /**
   * Whether there are no logical rows. Synchronises as {@link #rows} does.
   *
   * @throws IllegalStateException as there
   */
  boolean isEmpty(DeviceStream stream);

  /**
   * Certifies that the logical rows are sorted by the columns in their order, and that no two are
   * equal, once all queued work is done. The caller guarantees this; nothing is checked. The
   * certificate ends with the next write of a column or of the number of rows, by any operation and
   * through any table.
   */
  void certifySortedAndUnique();

  /**
   * Whether {@link #certifySortedAndUnique} was called, and nothing was written since. Tables that
   * are made from this one have no certificate until they get one. Makes no driver call.
   */
  boolean isSortedAndUnique();

  /** The bytes of all columns, dictionaries included. The number of rows is not counted. */
  long sizeInBytes();

  /**
   * Some of the columns, in the given order, with the same logical rows.
   *
   * @throws IllegalArgumentException if none or several have one of the names
   */
  DeviceTable select(String... names);

  /**
   * The same columns, one of them under another name.
   *
   * @throws IllegalArgumentException if none or several have the name
   */
  DeviceTable rename(String name, String newName);

  /**
   * The same columns and one more, with the same logical rows. The column stays the caller's.
   *
   * @throws IllegalArgumentException if the column's length is not the capacity
   * @throws dev.streamfence.StreamMisuseException if it belongs to another runtime
   */
  DeviceTable append(ReadableColumn<?> column);

  /**
   * Some of the rows. The logical rows of the slice are those of this table that lie in the range
   * at the time of the call; afterwards the two numbers are independent. If the device has counted
   * more rows than the capacity, {@link #rows} of the slice refuses that number as well. Close the
   * slice: it owns its number of rows, four bytes.
   *
   * @param from the first row
   * @param count how many rows it has room for
   * @throws IllegalArgumentException if the range is not within the capacity
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  DeviceTable slice(DeviceStream stream, long from, long count);

  /** Whether neither it nor its runtime is closed. */
  boolean isOpen();

  /**
   * Closes its columns and its number of rows, each in the order of its uses. Continues after a
   * failure and throws the first one; closing again closes what is still open. Among the tables
   * that were made from this one, only slices own memory.
   *
   * @throws dev.streamfence.CudaDriverException if a free could not be queued
   */
  @Override
  void close();
}

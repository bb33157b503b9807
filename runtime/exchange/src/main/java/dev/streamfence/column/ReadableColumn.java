package dev.streamfence.column;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.column.TrackedColumn;
import dev.streamfence.internal.column.TrackedColumns;
import dev.streamfence.launch.DeviceValues;
import java.util.OptionalLong;

/**
 * A column in device memory: an array of values, and the arrays that its type and its nulls need.
 * The runtime tracks the uses of each of these arrays. A launch passes the values of a column.
 *
 * <p>Making, slicing and querying a column makes no driver call. Thread-safe. Every method that
 * returns an array or a column throws a {@link UseAfterFreeException} that names the column if it
 * is closed.
 *
 * @param <A> the Java array type of the values, {@link ColumnType#arrayType}
 */
public sealed interface ReadableColumn<A> extends AutoCloseable, DeviceValues
    permits DeviceColumn, TrackedColumn {
  /**
   * A column over an array that is only read, with a value in each row. The column closes the
   * array; if it is refused, the array stays the caller's.
   *
   * @param values as many as the column has rows
   * @throws IllegalArgumentException if the type does not have a fixed width of at least a byte, or
   *     its values are of another array type
   */
  static <A> ReadableColumn<A> of(ColumnField field, ReadableArray<A> values) {
    return TrackedColumns.readable(field, values);
  }

  /**
   * A column over arrays that are only read, with nulls, like {@link #of(ColumnField,
   * ReadableArray)}.
   *
   * @param validity a bit for each row, see {@link #validity}; empty if no row is null
   * @throws IllegalArgumentException as there; if there are nulls in a field that is not nullable;
   *     or if the bitmap is too short
   */
  static <A> ReadableColumn<A> of(
      ColumnField field, ReadableArray<A> values, ReadableArray<byte[]> validity) {
    return TrackedColumns.readable(field, values, validity);
  }

  /** Its name, its type and whether it may have nulls. */
  ColumnField field();

  /** Its name. */
  String name();

  /** The type of its values. */
  ColumnType type();

  /** The runtime that it belongs to. */
  DeviceRuntime runtime();

  /** How many rows it has room for. */
  long length();

  /**
   * Its values: as many as it has rows, except for {@link ColumnType#BOOL}, which has eight of them
   * in a byte, and {@link ColumnType#UTF8}, whose values are the bytes of its text.
   */
  @Override
  ReadableArray<A> values();

  /**
   * Where row 0 is in the first byte of the values of a {@link ColumnType#BOOL}, from 0 for the
   * lowest bit to 7. A slice need not begin with a byte. 0 for other types.
   */
  int bitOffset();

  /**
   * One bit for each row, from the lowest bit of the first byte on: 1 for a value, 0 for null. An
   * empty array says that no row is null; kernels get the null pointer for it.
   */
  ReadableArray<byte[]> validity();

  /** Where row 0 is in the first byte of the validity bitmap, from 0 for the lowest bit to 7. */
  int validityOffset();

  /**
   * How many rows are null, if the host has the number without asking the device. After a write of
   * the bitmap it is unknown.
   */
  OptionalLong nullCount();

  /**
   * Where the text of each row begins in the values, and where that of the last one ends: one more
   * than there are rows. The first offset need not be 0.
   *
   * @throws IllegalStateException if the type is not {@link ColumnType#UTF8}
   */
  ReadableArray<int[]> offsets();

  /**
   * The rows that the values refer to by number.
   *
   * @throws IllegalStateException if the type is not a {@link DictionaryType}
   */
  ReadableColumn<byte[]> dictionary();

  /** Where its memory comes from. */
  ColumnOrigin origin();

  /** Whether code outside this runtime allocated its memory and frees it. */
  boolean isExternal();

  /** Whether it is read-only: a launch that writes its arrays is refused. */
  boolean isReadOnly();

  /** Whether neither it nor its runtime is closed. */
  boolean isOpen();

  /** The bytes of all its arrays, those of a dictionary included. */
  long sizeInBytes();

  /**
   * A view of some rows: a column over the same memory. It owns nothing, and ends with this column;
   * closing it does nothing.
   *
   * @throws IllegalArgumentException if the range is not within this column
   */
  ReadableColumn<A> slice(long from, long count);

  /**
   * A column of type {@link ColumnType#BOOL} with the flags of this one, which has the type {@link
   * ColumnType#BOOL8}: eight of them in a byte, followed by zeros. Any byte but 0 counts as set.
   * The caller closes it. Does not synchronise unless memory is short.
   *
   * @throws IllegalStateException if this column has another type
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  DeviceColumn<byte[]> packed(DeviceStream stream);

  /**
   * A column of type {@link ColumnType#BOOL8} with the flags of this one, which has the type {@link
   * ColumnType#BOOL}: a byte for each. The caller closes it. Does not synchronise unless memory is
   * short.
   *
   * @throws IllegalStateException if this column has another type
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  DeviceColumn<boolean[]> unpacked(DeviceStream stream);

  /**
   * Closes its arrays and its dictionary, each in the order of its uses. Continues after a failure
   * and throws the first one; closing again closes what is still open. Closing a view does nothing.
   *
   * @throws dev.streamfence.CudaDriverException if a free could not be queued
   */
  @Override
  void close();
}

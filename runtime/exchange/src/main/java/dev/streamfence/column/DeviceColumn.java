package dev.streamfence.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.column.TrackedColumns;
import dev.streamfence.internal.column.WritableColumn;
import dev.streamfence.memory.ArrayAllocator;

/**
 * A column in device memory that can be read, like every {@link ReadableColumn}, and written.
 *
 * <p>The methods that make a column of arrays take ownership of the arrays: closing the column
 * closes them. If the column is refused, the arrays stay the caller's. Its memory belongs to the
 * runtime or to another library, see {@link #origin}. Thread-safe.
 *
 * @param <A> the Java array type of the values, {@link ColumnType#arrayType}
 */
public sealed interface DeviceColumn<A> extends ReadableColumn<A> permits WritableColumn {
  /**
   * A column with a value in each row.
   *
   * @param values as many as the column has rows
   * @throws IllegalArgumentException if the type does not have a fixed width of at least a byte, or
   *     its values are of another array type
   */
  static <A> DeviceColumn<A> of(ColumnField field, DeviceArray<A> values) {
    return TrackedColumns.column(field, values);
  }

  /**
   * A column with nulls, like {@link #of(ColumnField, DeviceArray)}.
   *
   * @param validity a bit for each row, see {@link #validity}; empty if no row is null
   * @throws IllegalArgumentException as there; if there are nulls in a field that is not nullable;
   *     or if the bitmap is too short
   */
  static <A> DeviceColumn<A> of(
      ColumnField field, DeviceArray<A> values, DeviceArray<byte[]> validity) {
    return TrackedColumns.column(field, values, validity);
  }

  /**
   * A column of type {@link ColumnType#BOOL}.
   *
   * @param length how many rows it has
   * @param bits the values, a bit for each row from the lowest bit of the first byte on
   * @param validity a bit for each row, see {@link #validity}; empty if no row is null
   * @throws IllegalArgumentException if the field has another type; if there are nulls in a field
   *     that is not nullable; or if an array is too short
   */
  static DeviceColumn<byte[]> ofBits(
      ColumnField field, long length, DeviceArray<byte[]> bits, DeviceArray<byte[]> validity) {
    return TrackedColumns.bits(field, length, bits, validity);
  }

  /**
   * A column of type {@link ColumnType#UTF8}. The values of the offsets are not checked.
   *
   * @param offsets one more than there are rows, or none for no rows; see {@link #offsets}
   * @param text the bytes of all rows
   * @param validity a bit for each row, see {@link #validity}; empty if no row is null
   * @throws IllegalArgumentException if the field has another type; if there are nulls in a field
   *     that is not nullable; or if the bitmap is too short
   */
  static DeviceColumn<byte[]> ofText(
      ColumnField field,
      DeviceArray<int[]> offsets,
      DeviceArray<byte[]> text,
      DeviceArray<byte[]> validity) {
    return TrackedColumns.text(field, offsets, text, validity);
  }

  /**
   * A column of a {@link DictionaryType}. Whether the numbers are rows of the dictionary is not
   * checked.
   *
   * @param indices a row of the dictionary for each row
   * @param validity a bit for each row, see {@link #validity}; empty if no row is null
   * @param dictionary a column of the type that the dictionary has
   * @throws IllegalArgumentException if the field, the indices or the dictionary have another type;
   *     if there are nulls in a field that is not nullable; or if the bitmap is too short
   */
  static <A> DeviceColumn<A> ofDictionary(
      ColumnField field,
      DeviceArray<A> indices,
      DeviceArray<byte[]> validity,
      DeviceColumn<byte[]> dictionary) {
    return TrackedColumns.dictionary(field, indices, validity, dictionary);
  }

  /**
   * Allocates a column of a type of fixed width, with undefined values. At first, the bitmap of a
   * nullable field says that no row is null. Does not synchronise unless memory is short.
   *
   * @param arrayType the Java array type of the values
   * @throws IllegalArgumentException if the type is {@link ColumnType#UTF8} or a dictionary, or has
   *     values of another array type; or if the length is negative or too large
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static <A> DeviceColumn<A> allocate(
      DeviceStream stream, ColumnField field, Class<A> arrayType, long length) {
    return allocate(stream, TrackedColumns.memoryOf(stream), field, arrayType, length);
  }

  /**
   * Allocates a column like {@link #allocate(DeviceStream, ColumnField, Class, long)}.
   *
   * @param memory allocates the column, such as a part of the runtime's budget or a reservation
   * @throws IllegalArgumentException as there
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory
   */
  static <A> DeviceColumn<A> allocate(
      DeviceStream stream,
      ArrayAllocator memory,
      ColumnField field,
      Class<A> arrayType,
      long length) {
    return TrackedColumns.allocate(stream, memory, field, arrayType, length);
  }

  @Override
  DeviceArray<A> values();

  @Override
  DeviceArray<byte[]> validity();

  @Override
  DeviceArray<int[]> offsets();

  @Override
  DeviceColumn<byte[]> dictionary();

  @Override
  DeviceColumn<A> slice(long from, long count);
}

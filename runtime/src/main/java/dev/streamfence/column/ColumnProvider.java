package dev.streamfence.column;

import dev.streamfence.ArrayAllocator;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.internal.column.TrackedColumns;
import java.util.List;

/**
 * Makes columns and tables for the static methods of {@link ReadableColumn}, {@link DeviceColumn}
 * and {@link DeviceTable}, which users call instead. The runtime's own jar has the only
 * implementation. Stateless and thread-safe.
 */
public sealed interface ColumnProvider permits TrackedColumns {
  /** See {@link ReadableColumn#of(ColumnField, ReadableArray)}. */
  <A> ReadableColumn<A> readable(ColumnField field, ReadableArray<A> values);

  /** See {@link ReadableColumn#of(ColumnField, ReadableArray, ReadableArray)}. */
  <A> ReadableColumn<A> readable(
      ColumnField field, ReadableArray<A> values, ReadableArray<byte[]> validity);

  /** See {@link DeviceColumn#of(ColumnField, DeviceArray)}. */
  <A> DeviceColumn<A> column(ColumnField field, DeviceArray<A> values);

  /** See {@link DeviceColumn#of(ColumnField, DeviceArray, DeviceArray)}. */
  <A> DeviceColumn<A> column(
      ColumnField field, DeviceArray<A> values, DeviceArray<byte[]> validity);

  /** See {@link DeviceColumn#ofBits}. */
  DeviceColumn<byte[]> bits(
      ColumnField field, long length, DeviceArray<byte[]> bits, DeviceArray<byte[]> validity);

  /** See {@link DeviceColumn#ofText}. */
  DeviceColumn<byte[]> text(
      ColumnField field,
      DeviceArray<int[]> offsets,
      DeviceArray<byte[]> text,
      DeviceArray<byte[]> validity);

  /** See {@link DeviceColumn#ofDictionary}. */
  <A> DeviceColumn<A> dictionary(
      ColumnField field,
      DeviceArray<A> indices,
      DeviceArray<byte[]> validity,
      DeviceColumn<byte[]> dictionary);

  /** See {@link DeviceColumn#allocate}. */
  <A> DeviceColumn<A> allocate(
      DeviceStream stream,
      ArrayAllocator memory,
      ColumnField field,
      Class<A> arrayType,
      long length);

  /** See {@link DeviceTable#allocate(DeviceStream, ArrayAllocator, Schema, long, String)}. */
  DeviceTable allocate(
      DeviceStream stream, ArrayAllocator memory, Schema schema, long capacity, String tag);

  /** See {@link DeviceTable#of(DeviceStream, ArrayAllocator, Schema, List, long)}. */
  DeviceTable table(
      DeviceStream stream,
      ArrayAllocator memory,
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long rows);

  /** See {@link DeviceTable#of(Schema, List, long, DeviceArray)}. */
  DeviceTable table(
      Schema schema,
      List<? extends ReadableColumn<?>> columns,
      long capacity,
      DeviceArray<int[]> rowCount);
}

package dev.streamfence.arrow;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.memory.ArrayAllocator;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/** Makes columns of vectors. Confined to one thread. */
final class ColumnUpload {
  private final DeviceStream stream;
  private final ArrayAllocator memory;
  private final DictionaryProvider dictionaries;
  private final HostTransfer transfer;

  ColumnUpload(
      DeviceStream stream,
      ArrayAllocator memory,
      DictionaryProvider dictionaries,
      HostTransfer transfer) {
    this.stream = stream;
    this.memory = memory;
    this.dictionaries = dictionaries;
    this.transfer = transfer;
  }

  /** Refuses a vector that does not have as many rows, or has nulls that its field does not. */
  void require(ColumnField field, FieldVector vector, int rows) {
    if (vector.getValueCount() != rows) {
      throw new IllegalArgumentException(
          "the vector of field '"
              + field.name()
              + "' has "
              + vector.getValueCount()
              + " rows, the table has "
              + rows
              + "; a closed vector has none");
    }
    requireNullable(field, vector);
  }

  /** Uploads a vector. */
  DeviceColumn<?> column(ColumnField field, FieldVector vector) {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      return column(field, vector, made);
    } catch (Throwable e) {
      Closing.closeAfter(e, made);
      throw e;
    }
  }

  private DeviceColumn<?> column(ColumnField field, FieldVector vector, List<AutoCloseable> made) {
    int rows = vector.getValueCount();
    DeviceArray<byte[]> validity = validity(field, vector, made);
    if (field.type() == ColumnType.BOOL) {
      DeviceArray<byte[]> bits = allocate(named(field), byte[].class, bytes(rows), made);
      upload(field, vector.getDataBuffer(), bits);
      return DeviceColumn.ofBits(field, rows, bits, validity);
    }
    if (field.type() == ColumnType.UTF8) {
      return text(field, vector, validity, made);
    }
    if (field.type() instanceof DecimalType) {
      DeviceArray<long[]> narrow = allocate(named(field), long[].class, rows, made);
      new DecimalUpload(field, (DecimalVector) vector).upload(stream, narrow);
      return DeviceColumn.of(field, narrow, validity);
    }
    return elements(field, vector, field.type().arrayType(), validity, made);
  }

  private <A> DeviceColumn<A> elements(
      ColumnField field,
      FieldVector vector,
      Class<A> arrayType,
      DeviceArray<byte[]> validity,
      List<AutoCloseable> made) {
    DeviceArray<A> values = allocate(named(field), arrayType, vector.getValueCount(), made);
    upload(field, vector.getDataBuffer(), values);
    if (!(field.type() instanceof DictionaryType)) {
      return DeviceColumn.of(field, values, validity);
    }
    Dictionary dictionary = dictionaries.lookup(vector.getField().getDictionary().getId());
    FieldVector words = dictionary.getVector();
    ColumnField wordField =
        new ColumnField(field.name(), ColumnType.UTF8, words.getField().isNullable());
    requireNullable(wordField, words);
    DeviceColumn<byte[]> text = text(wordField, words, validity(wordField, words, made), made);
    made.add(text);
    return DeviceColumn.ofDictionary(field, values, validity, text);
  }

  private DeviceColumn<byte[]> text(
      ColumnField field,
      FieldVector vector,
      DeviceArray<byte[]> validity,
      List<AutoCloseable> made) {
    int rows = vector.getValueCount();
    // Arrow lets the offsets of no rows be empty.
    DeviceArray<int[]> offsets =
        allocate("offsets of " + named(field), int[].class, rows == 0 ? 0 : rows + 1L, made);
    upload(field, vector.getOffsetBuffer(), offsets);
    long end = rows == 0 ? 0 : vector.getOffsetBuffer().getInt(4L * rows);
    DeviceArray<byte[]> bytes = allocate(named(field), byte[].class, end, made);
    upload(field, vector.getDataBuffer(), bytes);
    return DeviceColumn.ofText(field, offsets, bytes, validity);
  }

  /** The bitmap of a vector; empty if no row is null. */
  private DeviceArray<byte[]> validity(
      ColumnField field, FieldVector vector, List<AutoCloseable> made) {
    boolean hasNulls = vector.getNullCount() > 0;
    DeviceArray<byte[]> bitmap =
        allocate(
            "validity of " + named(field),
            byte[].class,
            hasNulls ? bytes(vector.getValueCount()) : 0,
            made);
    upload(field, vector.getValidityBuffer(), bitmap);
    return bitmap;
  }

  private <A> DeviceArray<A> allocate(
      String part, Class<A> arrayType, long length, List<AutoCloseable> made) {
    DeviceArray<A> array = memory.allocate(stream, arrayType, length, part);
    made.add(array);
    return array;
  }

  private void upload(ColumnField field, ArrowBuf source, DeviceArray<?> target) {
    if (source.capacity() < target.sizeInBytes()) {
      throw new IllegalArgumentException(
          "a buffer of field '"
              + field.name()
              + "' has "
              + source.capacity()
              + " bytes; its rows take "
              + target.sizeInBytes());
    }
    transfer.upload(stream, source, target);
  }

  private static void requireNullable(ColumnField field, FieldVector vector) {
    if (!field.isNullable() && vector.getNullCount() > 0) {
      throw new IllegalArgumentException(
          "field '"
              + field.name()
              + "' is not nullable, and "
              + vector.getNullCount()
              + " of its rows are null");
    }
  }

  private static String named(ColumnField field) {
    return "column '" + field.name() + "'";
  }

  private static long bytes(long bits) {
    return (bits + 7) / 8;
  }
}

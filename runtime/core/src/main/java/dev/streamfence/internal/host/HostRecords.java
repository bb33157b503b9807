package dev.streamfence.internal.host;

import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.launch.RecordElement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Some records of a Java array as the bytes that the device sees. The bytes of an upload are made
 * before it begins, and the records of a download after its end: a record's methods are code of the
 * user, which must not run while a stream is held, and pieces of a transfer may part a record.
 * Confined to the copy that uses it.
 */
final class HostRecords implements HostBytes {
  private final Object[] records;
  private final int first;
  private final int count;
  private final int elementBytes;
  private final RecordCodec codec;
  private final ByteBuffer bytes;

  private HostRecords(Object[] records, RecordElement element, int first, long count) {
    long size = Math.multiplyExact(count, (long) element.sizeInBytes());
    if (size > HostArray.MAX_JAVA_ARRAY) {
      throw new IllegalArgumentException(
          count
              + " records of "
              + element.typeName()
              + " take "
              + size
              + " bytes, more than a Java array holds; transfer them in parts");
    }
    this.records = records;
    this.first = first;
    this.count = (int) count;
    this.elementBytes = element.sizeInBytes();
    this.codec = RecordCodec.of(records.getClass().getComponentType());
    // All zeros, and so is the padding, which no record writes.
    this.bytes = ByteBuffer.allocate((int) size).order(ByteOrder.nativeOrder());
  }

  /** The source of an upload. */
  static HostRecords from(Object array, RecordElement element, int first, long count) {
    HostRecords source = new HostRecords((Object[]) array, element, first, count);
    for (int i = 0; i < source.count; i++) {
      Object record = source.records[first + i];
      if (record == null) {
        throw new IllegalArgumentException(
            "element "
                + (first + i)
                + " of the host array is null; an array of "
                + element.typeName()
                + " on the device has no null elements");
      }
      source.codec.write(record, source.bytes, i * source.elementBytes);
    }
    return source;
  }

  /** The target of a download; {@link #received} makes the records. */
  static HostRecords to(Object array, RecordElement element, int first, long count) {
    return new HostRecords((Object[]) array, element, first, count);
  }

  @Override
  public void writeTo(ByteBuffer buffer, long offset) {
    buffer.put(bytes.array(), (int) offset, buffer.remaining());
  }

  @Override
  public void readFrom(ByteBuffer buffer, long offset) {
    buffer.get(bytes.array(), (int) offset, buffer.remaining());
  }

  @Override
  public void received() {
    for (int i = 0; i < count; i++) {
      records[first + i] = codec.read(bytes, i * elementBytes);
    }
  }
}

package dev.streamfence.processor.model;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.ReadableColumn;

/** The type by which an interface declares an array, alone or in a table. */
public enum HandleType {
  /** {@code DeviceArray<float[]>}, which kernels read and write. */
  DEVICE_ARRAY(DeviceArray.class),
  /** {@code ReadableArray<float[]>}, which kernels only read. */
  READABLE_ARRAY(ReadableArray.class),
  /** {@code DeviceColumn<float[]>}, which stands for its values. */
  DEVICE_COLUMN(DeviceColumn.class),
  /** {@code ReadableColumn<float[]>}, whose values kernels only read. */
  READABLE_COLUMN(ReadableColumn.class);

  private final Class<?> type;

  HandleType(Class<?> type) {
    this.type = type;
  }

  /** The generic interface. */
  public Class<?> type() {
    return type;
  }

  /** Whether it is a column. */
  public boolean isColumn() {
    return this == DEVICE_COLUMN || this == READABLE_COLUMN;
  }

  /** The one to declare where a kernel writes. */
  public HandleType writable() {
    return isColumn() ? DEVICE_COLUMN : DEVICE_ARRAY;
  }
}

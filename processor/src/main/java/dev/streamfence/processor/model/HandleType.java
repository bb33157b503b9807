package dev.streamfence.processor.model;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;

/** The type by which an interface declares an array, alone or in a table. */
public enum HandleType {
  /** {@code DeviceArray<float[]>}, which kernels read and write. */
  DEVICE_ARRAY(DeviceArray.class),
  /** {@code ReadableArray<float[]>}, which kernels only read. */
  READABLE_ARRAY(ReadableArray.class);

  private final Class<?> type;

  HandleType(Class<?> type) {
    this.type = type;
  }

  /** The generic interface. */
  public Class<?> type() {
    return type;
  }

  /** The one to declare where a kernel writes. */
  public HandleType writable() {
    return DEVICE_ARRAY;
  }
}

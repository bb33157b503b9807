package dev.streamfence.processor.model;

import java.util.List;

/** How a kernel method declares a table of arrays. */
public enum TableType {
  /** {@code DeviceArray<float[]>[]}. */
  ARRAY,
  /** {@code List<DeviceArray<float[]>>}. */
  LIST,
  /** {@code List<? extends DeviceArray<float[]>>}. */
  LIST_OF_SUBTYPES,
  /** {@code DeviceTable}. */
  TABLE_OF_COLUMNS;

  /** The name of {@code DeviceTable}, which is known by it like a {@link HandleType}. */
  public static final QualifiedName DEVICE_TABLE =
      new QualifiedName("dev.streamfence.column", List.of("DeviceTable"));
}

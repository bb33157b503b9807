package dev.streamfence.processor.model;

/** How a kernel method declares a table of arrays. */
public enum TableType {
  /** {@code DeviceArray<float[]>[]}. */
  ARRAY,
  /** {@code List<DeviceArray<float[]>>}. */
  LIST,
  /** {@code List<? extends DeviceArray<float[]>>}. */
  LIST_OF_SUBTYPES,
  /** {@code DeviceTable}. */
  TABLE_OF_COLUMNS
}

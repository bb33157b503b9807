package dev.streamfence.processor.model;

import java.util.List;

/**
 * The type by which an interface declares an array, alone or in a table. Known by name: a program
 * without columns has no class of theirs on any path.
 */
public enum HandleType {
  /** {@code DeviceArray<float[]>}, which kernels read and write. */
  DEVICE_ARRAY("dev.streamfence", "DeviceArray"),
  /** {@code ReadableArray<float[]>}, which kernels only read. */
  READABLE_ARRAY("dev.streamfence", "ReadableArray"),
  /** {@code DeviceColumn<float[]>}, which stands for its values. */
  DEVICE_COLUMN("dev.streamfence.column", "DeviceColumn"),
  /** {@code ReadableColumn<float[]>}, whose values kernels only read. */
  READABLE_COLUMN("dev.streamfence.column", "ReadableColumn");

  private final String packageName;
  private final String simpleName;

  HandleType(String packageName, String simpleName) {
    this.packageName = packageName;
    this.simpleName = simpleName;
  }

  /** The generic interface. */
  public QualifiedName type() {
    return new QualifiedName(packageName, List.of(simpleName));
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

package dev.streamfence.launch;

import java.util.Objects;

/**
 * The element of an array in device memory: one of Java's primitives, or a record of primitives,
 * laid out as a structure of C. Immutable.
 */
public sealed interface ArrayElement permits ElementType, RecordElement {
  /** The name of the Java type, {@code float} or {@code Point}. */
  String typeName();

  /** Bytes that one element takes on the device. */
  int sizeInBytes();

  /** The alignment of an element on the device in bytes, a power of two. */
  int alignment();

  /**
   * The elements of a host array.
   *
   * @param arrayType such as {@code float[].class}, or {@code Point[].class} for a record
   * @throws IllegalArgumentException if it is not an array of primitives or of a record, or the
   *     record has other components than primitives, see {@link RecordElement#of}
   */
  static ArrayElement ofArray(Class<?> arrayType) {
    Objects.requireNonNull(arrayType, "arrayType");
    Class<?> component = arrayType.getComponentType();
    if (component != null && component.isPrimitive()) {
      return ElementType.ofArray(arrayType);
    }
    if (component == null || !component.isRecord()) {
      throw new IllegalArgumentException(
          arrayType.getTypeName()
              + " is not an array of primitives or of a record; a device array holds the elements of"
              + " one");
    }
    return RecordElement.of(component);
  }
}

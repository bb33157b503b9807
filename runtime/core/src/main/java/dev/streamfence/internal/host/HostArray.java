package dev.streamfence.internal.host;

import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.RecordElement;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/**
 * A Java array of primitives, from one of its elements on, as the bytes that the device sees.
 * Confined to the copy that uses it.
 */
public final class HostArray implements HostBytes {
  /** The longest array that every Java VM can create. */
  public static final int MAX_JAVA_ARRAY = Integer.MAX_VALUE - 8;

  private final Object array;
  private final ElementType type;
  private final int first;

  private HostArray(Object array, ElementType type, int first) {
    this.array = array;
    this.type = type;
    this.first = first;
  }

  /** The source of an upload: elements of a Java array of primitives or of records. */
  public static HostBytes from(Object array, ArrayElement element, int first, long count) {
    requireElements(array, element);
    return element instanceof RecordElement record
        ? HostRecords.from(array, record, first, count)
        : new HostArray(array, (ElementType) element, first);
  }

  /** The target of a download: elements of a Java array of primitives or of records. */
  public static HostBytes to(Object array, ArrayElement element, int first, long count) {
    requireElements(array, element);
    return element instanceof RecordElement record
        ? HostRecords.to(array, record, first, count)
        : new HostArray(array, (ElementType) element, first);
  }

  /** Refuses an array of other elements, which only a cast of the device's array lets through. */
  private static void requireElements(Object array, ArrayElement element) {
    Class<?> component = array.getClass().getComponentType();
    boolean isAlike =
        element instanceof ElementType type
            ? component == type.primitive()
            : component.isRecord() && RecordElement.of(component).equals(element);
    if (!isAlike) {
      throw new IllegalArgumentException(
          "the host array is "
              + component.getSimpleName()
              + "[]; the array takes elements of type "
              + element.typeName());
    }
  }

  public static int length(Object array) {
    return Array.getLength(array);
  }

  @Override
  public void writeTo(ByteBuffer buffer, long offset) {
    int from = first + (int) (offset / type.sizeInBytes());
    int count = buffer.remaining() / type.sizeInBytes();
    switch (type) {
      case BOOLEAN -> {
        boolean[] values = (boolean[]) array;
        for (int i = 0; i < count; i++) {
          buffer.put((byte) (values[from + i] ? 1 : 0));
        }
      }
      case BYTE -> buffer.put((byte[]) array, from, count);
      case CHAR -> buffer.asCharBuffer().put((char[]) array, from, count);
      case SHORT -> buffer.asShortBuffer().put((short[]) array, from, count);
      case INT -> buffer.asIntBuffer().put((int[]) array, from, count);
      case LONG -> buffer.asLongBuffer().put((long[]) array, from, count);
      case FLOAT -> buffer.asFloatBuffer().put((float[]) array, from, count);
      case DOUBLE -> buffer.asDoubleBuffer().put((double[]) array, from, count);
    }
  }

  @Override
  public void readFrom(ByteBuffer buffer, long offset) {
    int from = first + (int) (offset / type.sizeInBytes());
    int count = buffer.remaining() / type.sizeInBytes();
    switch (type) {
      case BOOLEAN -> {
        boolean[] values = (boolean[]) array;
        for (int i = 0; i < count; i++) {
          values[from + i] = buffer.get() != 0;
        }
      }
      case BYTE -> buffer.get((byte[]) array, from, count);
      case CHAR -> buffer.asCharBuffer().get((char[]) array, from, count);
      case SHORT -> buffer.asShortBuffer().get((short[]) array, from, count);
      case INT -> buffer.asIntBuffer().get((int[]) array, from, count);
      case LONG -> buffer.asLongBuffer().get((long[]) array, from, count);
      case FLOAT -> buffer.asFloatBuffer().get((float[]) array, from, count);
      case DOUBLE -> buffer.asDoubleBuffer().get((double[]) array, from, count);
    }
  }
}

package dev.streamfence.launch;

import java.util.Objects;

/** One of Java's eight primitive types, as the element of an array. Immutable. */
public enum ElementType implements ArrayElement {
  /** One byte on the device, 0 or 1. */
  BOOLEAN(boolean.class, boolean[].class, 1),
  /** A signed byte. */
  BYTE(byte.class, byte[].class, 1),
  /** An unsigned 16-bit number. */
  CHAR(char.class, char[].class, 2),
  /** A signed 16-bit number. */
  SHORT(short.class, short[].class, 2),
  /** A signed 32-bit number. */
  INT(int.class, int[].class, 4),
  /** A signed 64-bit number. */
  LONG(long.class, long[].class, 8),
  /** An IEEE 754 binary32 number. */
  FLOAT(float.class, float[].class, 4),
  /** An IEEE 754 binary64 number. */
  DOUBLE(double.class, double[].class, 8);

  /** The values, which {@code values()} copies at each call. */
  private static final ElementType[] ALL = values();

  private final Class<?> primitive;
  private final Class<?> array;
  private final int sizeInBytes;

  ElementType(Class<?> primitive, Class<?> array, int sizeInBytes) {
    this.primitive = primitive;
    this.array = array;
    this.sizeInBytes = sizeInBytes;
  }

  /** The Java type of one element, {@code float.class} for {@link #FLOAT}. */
  public Class<?> primitive() {
    return primitive;
  }

  /** The Java type of a host array of such elements, {@code float[].class} for {@link #FLOAT}. */
  public Class<?> array() {
    return array;
  }

  @Override
  public String typeName() {
    return primitive.getName();
  }

  @Override
  public int sizeInBytes() {
    return sizeInBytes;
  }

  /** Its alignment, which is its size. */
  @Override
  public int alignment() {
    return sizeInBytes;
  }

  /** Whether it is {@link #FLOAT} or {@link #DOUBLE}. */
  public boolean isFloatingPoint() {
    return this == FLOAT || this == DOUBLE;
  }

  /**
   * The element type of a host array.
   *
   * @throws IllegalArgumentException if {@code arrayType} is not an array of primitives
   */
  public static ElementType ofArray(Class<?> arrayType) {
    Objects.requireNonNull(arrayType, "arrayType");
    for (ElementType type : ALL) {
      if (type.array == arrayType) {
        return type;
      }
    }
    throw new IllegalArgumentException(arrayType.getTypeName() + " is not an array of primitives");
  }
}

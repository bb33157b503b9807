package dev.streamfence.internal.host;

import dev.streamfence.DeviceArray;
import dev.streamfence.launch.ElementType;

/** Converts a fill value to the bits of one element, as an assignment in Java would. Stateless. */
public final class FillBits {
  private FillBits() {}

  public static long of(boolean value, DeviceArray<?> array) {
    if (array.elementType() != ElementType.BOOLEAN) {
      throw wrongFill(array, "a boolean");
    }
    return value ? 1 : 0;
  }

  /** The bits of a number: exact for integer elements, rounded for floating-point ones. */
  public static long of(long value, DeviceArray<?> array) {
    double rounded = value;
    return switch (primitive(array, "a number")) {
      case BOOLEAN -> throw wrongFill(array, "a number");
      case BYTE -> inRange(value, Byte.MIN_VALUE, Byte.MAX_VALUE, array);
      case CHAR -> inRange(value, Character.MIN_VALUE, Character.MAX_VALUE, array);
      case SHORT -> inRange(value, Short.MIN_VALUE, Short.MAX_VALUE, array);
      case INT -> inRange(value, Integer.MIN_VALUE, Integer.MAX_VALUE, array);
      case LONG -> value;
      case FLOAT -> Float.floatToRawIntBits((float) value);
      case DOUBLE -> Double.doubleToRawLongBits(rounded);
    };
  }

  public static long of(double value, DeviceArray<?> array) {
    return switch (primitive(array, "a floating-point number")) {
      case FLOAT -> Float.floatToRawIntBits((float) value);
      case DOUBLE -> Double.doubleToRawLongBits(value);
      default -> throw wrongFill(array, "a floating-point number");
    };
  }

  /** The elements of an array, unless they are records. */
  private static ElementType primitive(DeviceArray<?> array, String what) {
    if (array.elementType() instanceof ElementType type) {
      return type;
    }
    throw wrongFill(array, what);
  }

  private static long inRange(long value, long min, long max, DeviceArray<?> array) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          value + " does not fit into " + array + "; its elements are from " + min + " to " + max);
    }
    return value;
  }

  private static IllegalArgumentException wrongFill(DeviceArray<?> array, String what) {
    return new IllegalArgumentException(array + " cannot be filled with " + what);
  }
}

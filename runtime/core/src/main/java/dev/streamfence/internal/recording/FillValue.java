package dev.streamfence.internal.recording;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.KernelArgumentException.Mistake;
import java.lang.invoke.MethodType;
import java.util.Map;

/**
 * The value that a fill of a graph repeats, as bits: the driver fills with those of 1, 2 or 4
 * bytes. Confined to the holder of the graph's lock.
 */
final class FillValue implements RecordedNode.Numbers {
  private static final String NAME = "value";

  private final String words;
  private final Class<?> type;
  private int bits;

  /**
   * Creates the value of a fill.
   *
   * @param words the fill, for errors
   * @param type the primitive type of the elements, of 1, 2 or 4 bytes
   */
  FillValue(String words, Class<?> type, int bits) {
    this.words = words;
    this.type = type;
    this.bits = type == char.class ? (short) bits : bits;
  }

  /** The lowest bytes are repeated. */
  int bits() {
    return bits;
  }

  @Override
  public boolean set(String parameter, Object value) {
    if (!parameter.equals(NAME)) {
      throw new IllegalArgumentException(
          words + " has no number '" + parameter + "'; it has [" + NAME + "]");
    }
    if (!MethodType.methodType(type).wrap().returnType().isInstance(value)) {
      throw new KernelArgumentException(
          Mistake.UNEXPECTED,
          new AttemptedUse("", NAME, "the value of " + words),
          (type == int.class ? " is an " : " is a ")
              + type
              + "; "
              + value.getClass().getSimpleName()
              + " "
              + value
              + " was passed");
    }
    int before = bits;
    bits = bits(value);
    return bits != before;
  }

  private static int bits(Object value) {
    if (value instanceof Boolean flag) {
      return flag ? 1 : 0;
    }
    if (value instanceof Character unit) {
      return (short) unit.charValue();
    }
    return value instanceof Float number
        ? Float.floatToRawIntBits(number)
        : ((Number) value).intValue();
  }

  @Override
  public Map<String, Object> all() {
    return Map.of(NAME, value());
  }

  private Object value() {
    if (type == boolean.class) {
      return bits != 0;
    }
    if (type == byte.class) {
      return (byte) bits;
    }
    if (type == char.class) {
      return (char) bits;
    }
    if (type == short.class) {
      return (short) bits;
    }
    return type == float.class ? (Object) Float.intBitsToFloat(bits) : bits;
  }
}

package dev.streamfence.internal.recording;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.KernelArgumentException.Mistake;
import java.util.Map;

/**
 * The value that a fill of a graph repeats, as bits: the driver fills with those of 1, 2 or 4
 * bytes. Confined to the holder of the graph's lock.
 */
final class FillValue implements RecordedNode.Numbers {
  private static final String NAME = "value";

  private final String words;
  private final int bytes;
  private int bits;

  /**
   * Creates the value of a fill.
   *
   * @param words the fill, for errors
   * @param bytes how many bytes it has: 1, 2 or 4
   */
  FillValue(String words, int bytes, int bits) {
    this.words = words;
    this.bytes = bytes;
    this.bits = bytes == Short.BYTES ? (short) bits : bits;
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
    int before = bits;
    if (value instanceof Byte number && bytes == Byte.BYTES) {
      bits = number;
    } else if (value instanceof Boolean flag && bytes == Byte.BYTES) {
      bits = flag ? 1 : 0;
    } else if (value instanceof Short number && bytes == Short.BYTES) {
      bits = number;
    } else if (value instanceof Character unit && bytes == Short.BYTES) {
      bits = (short) unit.charValue();
    } else if (value instanceof Integer number && bytes == Integer.BYTES) {
      bits = number;
    } else if (value instanceof Float number && bytes == Integer.BYTES) {
      bits = Float.floatToRawIntBits(number);
    } else {
      throw new KernelArgumentException(
          Mistake.UNEXPECTED,
          new AttemptedUse("", NAME, "the value of " + words),
          " has "
              + bytes
              + " bytes; "
              + value.getClass().getSimpleName()
              + " "
              + value
              + " was passed");
    }
    return bits != before;
  }

  @Override
  public Map<String, Object> all() {
    return Map.of(
        NAME,
        switch (bytes) {
          case Byte.BYTES -> (Object) (byte) bits;
          case Short.BYTES -> (short) bits;
          default -> bits;
        });
  }
}

package dev.streamfence.corpus;

import java.util.stream.Stream;

/** Host arrays that tests copy to a device and back. */
public final class HostArrays {
  private HostArrays() {}

  /** One of each type, with values that a conversion would change. */
  public static Stream<Object> ofEveryType() {
    return Stream.of(
        new boolean[] {true, false, true},
        new byte[] {1, -2, 3},
        new char[] {'a', '\uffff'},
        new short[] {1, Short.MIN_VALUE, 3},
        new int[] {1, Integer.MIN_VALUE, 3},
        new long[] {1, Long.MIN_VALUE, 3},
        new float[] {1.5f, Float.NaN, -0f},
        new double[] {1.5, Double.NEGATIVE_INFINITY, 1e-300});
  }
}

package dev.streamfence.internal.ptx.run.machine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Little-endian values in byte arrays. */
public final class Bytes {
  /** The content of unwritten memory: conspicuous as an integer and as a float. */
  static final byte UNWRITTEN = (byte) 0xCB;

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Bytes() {}

  /** Returns 1, 2, 4 or 8 bytes, zero-extended. */
  public static long get(byte[] array, int offset, int bytes) {
    return switch (bytes) {
      case 1 -> array[offset] & 0xFFL;
      case 2 -> (short) SHORTS.get(array, offset) & 0xFFFFL;
      case 4 -> (int) INTS.get(array, offset) & 0xFFFF_FFFFL;
      default -> (long) LONGS.get(array, offset);
    };
  }

  /** Writes the low 1, 2, 4 or 8 bytes of a value. */
  public static void put(byte[] array, int offset, int bytes, long value) {
    switch (bytes) {
      case 1 -> array[offset] = (byte) value;
      case 2 -> SHORTS.set(array, offset, (short) value);
      case 4 -> INTS.set(array, offset, (int) value);
      default -> LONGS.set(array, offset, value);
    }
  }

  static void markUnwritten(byte[] array, int from, int to) {
    Arrays.fill(array, from, to, UNWRITTEN);
  }
}

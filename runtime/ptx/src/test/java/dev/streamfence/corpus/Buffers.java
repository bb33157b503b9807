package dev.streamfence.corpus;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Converts arrays to the bytes of a device buffer and back. */
public final class Buffers {
  private Buffers() {}

  private static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  public static ByteBuffer view(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  public static byte[] of(int... values) {
    ByteBuffer buffer = allocate(values.length * 4);
    buffer.asIntBuffer().put(values);
    return buffer.array();
  }

  public static byte[] of(long... values) {
    ByteBuffer buffer = allocate(values.length * 8);
    buffer.asLongBuffer().put(values);
    return buffer.array();
  }

  public static byte[] of(short... values) {
    ByteBuffer buffer = allocate(values.length * 2);
    buffer.asShortBuffer().put(values);
    return buffer.array();
  }

  public static byte[] of(float... values) {
    ByteBuffer buffer = allocate(values.length * 4);
    buffer.asFloatBuffer().put(values);
    return buffer.array();
  }

  public static byte[] of(double... values) {
    ByteBuffer buffer = allocate(values.length * 8);
    buffer.asDoubleBuffer().put(values);
    return buffer.array();
  }

  public static byte[] zeros(int bytes) {
    return new byte[bytes];
  }

  public static int[] ints(byte[] bytes) {
    int[] values = new int[bytes.length / 4];
    view(bytes).asIntBuffer().get(values);
    return values;
  }

  public static long[] longs(byte[] bytes) {
    long[] values = new long[bytes.length / 8];
    view(bytes).asLongBuffer().get(values);
    return values;
  }

  public static float[] floats(byte[] bytes) {
    float[] values = new float[bytes.length / 4];
    view(bytes).asFloatBuffer().get(values);
    return values;
  }
}

package dev.streamfence.internal.transfer;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A byte array as the copies see it. */
public record Bytes(byte[] values) implements HostBytes {
  public static Bytes of(int size, int value) {
    byte[] values = new byte[size];
    Arrays.fill(values, (byte) value);
    return new Bytes(values);
  }

  @Override
  public void writeTo(ByteBuffer buffer, long offset) {
    buffer.put(values, (int) offset, buffer.remaining());
  }

  @Override
  public void readFrom(ByteBuffer buffer, long offset) {
    buffer.get(values, (int) offset, buffer.remaining());
  }
}

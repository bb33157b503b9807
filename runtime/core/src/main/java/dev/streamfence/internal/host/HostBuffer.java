package dev.streamfence.internal.host;

import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.ShortBuffer;

/**
 * The elements between a buffer's position and limit as the bytes that the device sees. The buffer
 * keeps its position. Confined to the copy that uses it.
 */
public final class HostBuffer implements HostBytes {
  private final Buffer buffer;

  /** What the buffer counts. */
  private final ElementType type;

  private final int first;
  private final int length;

  private HostBuffer(Buffer buffer, ElementType type, int length) {
    // Of its own: the caller may flip or clear the buffer while a transfer is under way.
    this.buffer = buffer.duplicate();
    this.type = type;
    this.first = buffer.position();
    this.length = length;
  }

  /**
   * The remaining elements of a buffer.
   *
   * @param use the transfer, for errors
   * @throws IllegalArgumentException if the buffer has another type; if it has bytes in another
   *     order than the device's, or no whole number of elements
   */
  public static HostBuffer of(Buffer buffer, ArrayElement type, String use) {
    if (!(buffer instanceof ByteBuffer bytes)) {
      if (elements(buffer) != type) {
        throw new IllegalArgumentException(
            use
                + " with a buffer of "
                + elements(buffer).primitive()
                + "; pass one of "
                + (type instanceof ElementType ? type.typeName() + " or of bytes" : "bytes"));
      }
      return new HostBuffer(buffer, elements(buffer), buffer.remaining());
    }
    if (type.sizeInBytes() > 1 && bytes.order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          use
              + " with a byte buffer in "
              + bytes.order()
              + " order; the device's is "
              + ByteOrder.nativeOrder()
              + ", see ByteBuffer.order");
    }
    if (bytes.remaining() % type.sizeInBytes() != 0) {
      throw new IllegalArgumentException(
          use
              + " with "
              + bytes.remaining()
              + " remaining bytes, not a multiple of the "
              + type.sizeInBytes()
              + " bytes of a "
              + type.typeName());
    }
    return new HostBuffer(buffer, ElementType.BYTE, bytes.remaining() / type.sizeInBytes());
  }

  /**
   * Refuses a buffer that cannot be written.
   *
   * @throws IllegalArgumentException if the buffer is read-only
   */
  public HostBuffer requireWritable(String use) {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException(
          use + " to a read-only buffer", new ReadOnlyBufferException());
    }
    return this;
  }

  /** How many elements remain. */
  public int length() {
    return length;
  }

  private static ElementType elements(Buffer buffer) {
    if (buffer instanceof CharBuffer) {
      return ElementType.CHAR;
    }
    if (buffer instanceof ShortBuffer) {
      return ElementType.SHORT;
    }
    if (buffer instanceof IntBuffer) {
      return ElementType.INT;
    }
    if (buffer instanceof LongBuffer) {
      return ElementType.LONG;
    }
    return buffer instanceof FloatBuffer ? ElementType.FLOAT : ElementType.DOUBLE;
  }

  @Override
  public void writeTo(ByteBuffer chunk, long offset) {
    int count = chunk.remaining() / type.sizeInBytes();
    int from = first + (int) (offset / type.sizeInBytes());
    if (buffer instanceof ByteBuffer source) {
      chunk.put(chunk.position(), source, first + (int) offset, chunk.remaining());
      return;
    }
    switch (type) {
      case CHAR -> chunk.asCharBuffer().put(0, (CharBuffer) buffer, from, count);
      case SHORT -> chunk.asShortBuffer().put(0, (ShortBuffer) buffer, from, count);
      case INT -> chunk.asIntBuffer().put(0, (IntBuffer) buffer, from, count);
      case LONG -> chunk.asLongBuffer().put(0, (LongBuffer) buffer, from, count);
      case FLOAT -> chunk.asFloatBuffer().put(0, (FloatBuffer) buffer, from, count);
      default -> chunk.asDoubleBuffer().put(0, (DoubleBuffer) buffer, from, count);
    }
  }

  @Override
  public void readFrom(ByteBuffer chunk, long offset) {
    int count = chunk.remaining() / type.sizeInBytes();
    int from = first + (int) (offset / type.sizeInBytes());
    if (buffer instanceof ByteBuffer target) {
      target.put(first + (int) offset, chunk, chunk.position(), chunk.remaining());
      return;
    }
    switch (type) {
      case CHAR -> ((CharBuffer) buffer).put(from, chunk.asCharBuffer(), 0, count);
      case SHORT -> ((ShortBuffer) buffer).put(from, chunk.asShortBuffer(), 0, count);
      case INT -> ((IntBuffer) buffer).put(from, chunk.asIntBuffer(), 0, count);
      case LONG -> ((LongBuffer) buffer).put(from, chunk.asLongBuffer(), 0, count);
      case FLOAT -> ((FloatBuffer) buffer).put(from, chunk.asFloatBuffer(), 0, count);
      default -> ((DoubleBuffer) buffer).put(from, chunk.asDoubleBuffer(), 0, count);
    }
  }
}

package dev.streamfence.internal.simulator.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Device memory on the Java heap, of any size: in segments, since a Java array ends at 2 GiB.
 * Offsets of values are multiples of their sizes, so no value spans two segments. Confined to the
 * driver's lock.
 */
public final class Backing {
  /** Large enough to need few, small enough for a heap without a gigabyte in one piece. */
  public static final int SEGMENT_SHIFT = 28;

  /**
   * The value of every byte of fresh memory: a kernel that reads unwritten bytes always gets the
   * same.
   */
  private static final byte FRESH = (byte) 0xCB;

  /** Fits into a core's cache; a multiple of every width. */
  private static final int LARGEST_COPY = 1 << 18;

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final int shift;
  private final int mask;
  private final byte[][] segments;

  /**
   * Takes the memory.
   *
   * @param segmentShift the binary logarithm of a segment's size, from 9
   * @throws OutOfMemoryError if the Java heap has no space for it
   */
  public Backing(long bytes, int segmentShift) {
    this.shift = segmentShift;
    this.mask = (1 << segmentShift) - 1;
    this.segments = new byte[(int) ((bytes + mask) >>> shift)][];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new byte[(int) Math.min(1L << shift, bytes - ((long) i << shift))];
    }
  }

  private Backing(byte[] bytes) {
    this.shift = Integer.SIZE - 1;
    this.mask = Integer.MAX_VALUE;
    this.segments = new byte[][] {bytes};
  }

  /** The bytes of host memory, as the device sees them. */
  public static Backing of(byte[] bytes) {
    return new Backing(bytes);
  }

  /** Resets all bytes to fresh memory. */
  public void refresh() {
    for (byte[] segment : segments) {
      segment[0] = FRESH;
      repeat(segment, 0, 1, segment.length);
    }
  }

  /** Loads 1, 2, 4 or 8 bytes, zero-extended. */
  public long load(long offset, int bytes) {
    byte[] segment = segments[(int) (offset >>> shift)];
    int at = (int) offset & mask;
    return switch (bytes) {
      case 1 -> segment[at] & 0xFFL;
      case 2 -> (short) SHORT.get(segment, at) & 0xFFFFL;
      case 4 -> (int) INT.get(segment, at) & 0xFFFF_FFFFL;
      default -> (long) LONG.get(segment, at);
    };
  }

  /** Stores the low 1, 2, 4 or 8 bytes of a value. */
  public void store(long offset, int bytes, long value) {
    byte[] segment = segments[(int) (offset >>> shift)];
    int at = (int) offset & mask;
    switch (bytes) {
      case 1 -> segment[at] = (byte) value;
      case 2 -> SHORT.set(segment, at, (short) value);
      case 4 -> INT.set(segment, at, (int) value);
      default -> LONG.set(segment, at, value);
    }
  }

  /** Copies bytes from a host buffer into this memory. */
  public void read(ByteBuffer source, int from, long offset, int count) {
    for (int done = 0; done < count; ) {
      int part = (int) Math.min(count - done, leftInSegment(offset + done));
      source.get(from + done, segment(offset + done), (int) (offset + done) & mask, part);
      done += part;
    }
  }

  /** Copies bytes from this memory into a host buffer. */
  public void write(ByteBuffer destination, int to, long offset, int count) {
    for (int done = 0; done < count; ) {
      int part = (int) Math.min(count - done, leftInSegment(offset + done));
      destination.put(to + done, segment(offset + done), (int) (offset + done) & mask, part);
      done += part;
    }
  }

  /** Copies bytes from another memory, or from this one, into this memory. */
  public void copy(Backing source, long from, long offset, long count) {
    for (long done = 0; done < count; ) {
      long at = offset + done;
      int part =
          (int)
              Math.min(
                  count - done, Math.min(leftInSegment(at), source.leftInSegment(from + done)));
      System.arraycopy(
          source.segment(from + done),
          (int) (from + done) & source.mask,
          segment(at),
          (int) at & mask,
          part);
      done += part;
    }
  }

  /** Stores one value of 1, 2 or 4 bytes repeatedly, without gaps. */
  public void fill(long offset, int width, long value, long count) {
    long end = offset + count * width;
    for (long at = offset; at < end; ) {
      int part = (int) Math.min(end - at, leftInSegment(at));
      byte[] segment = segment(at);
      int start = (int) at & mask;
      store(at, width, value);
      repeat(segment, start, width, part);
      at += part;
    }
  }

  /**
   * Repeats the first bytes of a range in all of it. Copies take no loop over bytes, which tests
   * that start a device each would run before it is compiled.
   */
  private static void repeat(byte[] segment, int start, int width, int length) {
    for (int filled = width; filled < length; ) {
      int part = Math.min(Math.min(filled, LARGEST_COPY), length - filled);
      System.arraycopy(segment, start, segment, start + filled, part);
      filled += part;
    }
  }

  private byte[] segment(long offset) {
    return segments[(int) (offset >>> shift)];
  }

  private long leftInSegment(long offset) {
    return (1L << shift) - (offset & mask);
  }
}

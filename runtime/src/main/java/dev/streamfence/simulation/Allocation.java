package dev.streamfence.simulation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one allocation of device memory while it exists in stream order. Confined to the
 * driver's lock.
 */
final class Allocation {
  /**
   * Fresh memory holds this in every byte, so that a kernel that reads what nobody wrote gets the
   * same each time.
   */
  private static final byte FRESH = (byte) 0xCB;

  private final long address;
  private final byte[] bytes;
  private @Nullable TouchedBytes touched;

  Allocation(long address, int size) {
    this.address = address;
    this.bytes = new byte[size];
    Arrays.fill(bytes, FRESH);
  }

  long address() {
    return address;
  }

  byte[] bytes() {
    return bytes;
  }

  /** What the launch that runs has touched of it; null before its first access. */
  @Nullable TouchedBytes touched() {
    return touched;
  }

  void setTouched(@Nullable TouchedBytes touched) {
    this.touched = touched;
  }

  boolean contains(long from, long count) {
    return from >= address && count <= bytes.length && from - address <= bytes.length - count;
  }

  int offset(long at) {
    return (int) (at - address);
  }
}

package dev.streamfence.simulation;

import org.jspecify.annotations.Nullable;

/**
 * One allocation of device memory while it exists in stream order. Confined to the driver's lock.
 */
final class Allocation {
  private final long address;
  private final long size;
  private final Backing bytes;
  private @Nullable TouchedBytes touched;

  /** Starts with fresh bytes, of which {@code bytes} has as many at least. */
  Allocation(long address, long size, Backing bytes) {
    this.address = address;
    this.size = size;
    this.bytes = bytes;
    bytes.refresh();
  }

  long address() {
    return address;
  }

  long size() {
    return size;
  }

  Backing bytes() {
    return bytes;
  }

  /** What the launch that runs has touched of it; null before the first access of all launches. */
  @Nullable TouchedBytes touched() {
    return touched;
  }

  void setTouched(TouchedBytes touched) {
    this.touched = touched;
  }

  boolean contains(long from, long count) {
    return from >= address && count <= size && from - address <= size - count;
  }

  long offset(long at) {
    return at - address;
  }
}

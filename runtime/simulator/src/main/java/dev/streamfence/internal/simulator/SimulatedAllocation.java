package dev.streamfence.internal.simulator;

import dev.streamfence.internal.simulator.bytes.Backing;
import org.jspecify.annotations.Nullable;

/**
 * One allocation of device memory while it exists in stream order, or host memory that the device
 * reaches. Confined to the driver's lock.
 */
final class SimulatedAllocation {
  private final long address;
  private final long size;
  private final Backing bytes;
  private @Nullable TouchedBytes touched;

  /** Device memory with fresh content; {@code bytes} has at least {@code size} bytes. */
  static SimulatedAllocation fresh(long address, long size, Backing bytes) {
    bytes.refresh();
    return new SimulatedAllocation(address, size, bytes);
  }

  /** Keeps the content; {@code bytes} has at least {@code size} bytes. */
  SimulatedAllocation(long address, long size, Backing bytes) {
    this.address = address;
    this.size = size;
    this.bytes = bytes;
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

  /** The bytes that the running launch has touched; null before the first access by any launch. */
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

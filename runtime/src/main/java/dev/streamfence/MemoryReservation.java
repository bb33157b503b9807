package dev.streamfence;

import dev.streamfence.internal.device.TrackedReservation;

/**
 * Device memory set aside for several arrays: other users cannot take it. Arrays allocated from it
 * outlive it and are closed like any other. Thread-safe.
 */
public sealed interface MemoryReservation extends AutoCloseable permits TrackedReservation {
  /** Bytes not drawn yet; 0 once it is closed. */
  long remainingBytes();

  /**
   * Allocates an array from the reserved bytes, like {@link DeviceMemory#allocate}. If that fails,
   * the bytes return to the reservation.
   *
   * @throws IllegalArgumentException if the length is negative, too large to count in bytes, or the
   *     type is not an array of primitives or of a record of primitives
   * @throws OutOfMemoryBudgetException if the array is larger than the rest of the reservation, or
   *     the driver has no memory
   * @throws IllegalStateException if the reservation is closed
   * @throws StreamMisuseException if the stream is closed or belongs to another runtime
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver call fails
   */
  <A> DeviceArray<A> allocate(DeviceStream stream, Class<A> arrayType, long length);

  /** Releases the bytes that were not drawn. Closing again does nothing. */
  @Override
  void close();
}

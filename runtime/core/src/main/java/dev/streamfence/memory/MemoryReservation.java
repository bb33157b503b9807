package dev.streamfence.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.device.TrackedReservation;

/**
 * Device memory set aside for several arrays: other users cannot take it. Arrays allocated from it
 * outlive it and are closed like any other. Thread-safe.
 *
 * <p>Each allocation throws an {@link OutOfMemoryBudgetException} if the array is larger than the
 * rest of the reservation, or the driver has no memory, and an {@link IllegalStateException} if the
 * reservation is closed. The bytes of an array that cannot be allocated return to the reservation;
 * those of one that was allocated, and cannot be filled, to the budget.
 */
public sealed interface MemoryReservation extends ArrayAllocator, AutoCloseable
    permits TrackedReservation {
  /** Bytes not drawn yet; 0 once it is closed. */
  long remainingBytes();

  /** Releases the bytes that were not drawn. Closing again does nothing. */
  @Override
  void close();
}

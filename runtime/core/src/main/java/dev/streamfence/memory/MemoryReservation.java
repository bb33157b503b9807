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
 * the bytes of an array that was allocated but cannot be filled return to the budget.
 *
 * <p>A reservation that becomes unreachable without being closed is reported and given up; the
 * close of the runtime reports what is then reserved.
 */
public sealed interface MemoryReservation extends ArrayAllocator, AutoCloseable
    permits TrackedReservation {
  /** Bytes that are not yet drawn; 0 once the reservation is closed. */
  long remainingBytes();

  /** Returns the bytes that were not drawn to the budget. Closing again does nothing. */
  @Override
  void close();
}

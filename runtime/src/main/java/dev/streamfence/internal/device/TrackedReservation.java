package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.MemoryReservation;
import dev.streamfence.internal.memory.Reservation;

/** The implementation of {@link MemoryReservation}. */
public final class TrackedReservation implements MemoryReservation {
  private final TrackedMemory memory;
  private final Reservation reservation;

  TrackedReservation(TrackedMemory memory, Reservation reservation) {
    this.memory = memory;
    this.reservation = reservation;
  }

  @Override
  public long remainingBytes() {
    return reservation.remaining();
  }

  @Override
  public <A> TrackedArray<A> allocate(DeviceStream stream, Class<A> arrayType, long length) {
    return memory.allocate(reservation::allocate, stream, arrayType, length, "");
  }

  @Override
  public void close() {
    reservation.close();
  }
}

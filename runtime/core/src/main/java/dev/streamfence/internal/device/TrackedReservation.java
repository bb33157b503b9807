package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.memory.Reservation;
import dev.streamfence.memory.MemoryReservation;

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
  public <A> WritableArray<A> allocate(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    return memory.requests().allocate(reservation::allocate, stream, arrayType, length, tag);
  }

  @Override
  public <A> WritableArray<A> allocateZeroed(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    return memory.requests().allocateZeroed(reservation::allocate, stream, arrayType, length, tag);
  }

  @Override
  public <A> WritableArray<A> upload(DeviceStream stream, A source, String tag) {
    return memory.requests().upload(reservation::allocate, stream, source, tag);
  }

  @Override
  public void close() {
    reservation.close();
    memory.runtime().tasks().signal();
  }
}

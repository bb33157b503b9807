package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.LostArrays;
import dev.streamfence.internal.memory.Reservation;
import dev.streamfence.internal.order.Life;
import dev.streamfence.memory.MemoryReservation;
import java.lang.ref.Reference;

/** The implementation of {@link MemoryReservation}. */
public final class TrackedReservation implements MemoryReservation {
  private final TrackedMemory memory;
  private final Reservation reservation;

  private TrackedReservation(TrackedMemory memory, Reservation reservation) {
    this.memory = memory;
    this.reservation = reservation;
  }

  /** Hands bytes that are set aside over to the caller, or gives them up if that fails. */
  static TrackedReservation of(TrackedMemory memory, Reservation reservation) {
    try {
      TrackedReservation handle = new TrackedReservation(memory, reservation);
      LostArrays.watch(handle, () -> lost(memory.runtime(), reservation));
      return handle;
    } catch (Error e) {
      close(memory.runtime(), reservation);
      throw e;
    }
  }

  /** Gives up what a reservation that no caller has any more has left. */
  private static void lost(TrackedRuntime runtime, Reservation reservation) {
    Life life = runtime.life();
    if (reservation.remaining() == 0 || !life.tryEnterWithoutWaiting()) {
      return;
    }
    try {
      String fact = "a reservation was lost without being closed: " + reservation;
      life.callOutside(() -> LogTopic.LEAKS.warn(fact));
      close(runtime, reservation);
    } finally {
      life.leave();
    }
  }

  private static void close(TrackedRuntime runtime, Reservation reservation) {
    reservation.close();
    runtime.memory().signalRoom();
  }

  @Override
  public long remainingBytes() {
    return reservation.remaining();
  }

  @Override
  public <A> WritableArray<A> allocate(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    try {
      return memory.requests().allocate(reservation::allocate, stream, arrayType, length, tag);
    } finally {
      // Otherwise it could become unreachable, and be given up, before the allocation.
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public <A> WritableArray<A> allocateZeroed(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    try {
      return memory
          .requests()
          .allocateZeroed(reservation::allocate, stream, arrayType, length, tag);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public <A> WritableArray<A> upload(DeviceStream stream, A source, String tag) {
    try {
      return memory.requests().upload(reservation::allocate, stream, source, tag);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void close() {
    close(memory.runtime(), reservation);
  }
}

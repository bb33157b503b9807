package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A shared budget as one of its users sees it: bytes return as soon as their allocation is freed.
 * Bytes that the device still uses count only in the whole budget, which cannot attribute them.
 * Thread-safe.
 */
final class BudgetPart implements MemoryResource {
  private final BudgetResource whole;
  private final AtomicLong outstanding = new AtomicLong();

  /** Bytes of allocations whose free ended with an {@link Error} and so could not return them. */
  private final AtomicLong late = new AtomicLong();

  BudgetPart(BudgetResource whole) {
    this.whole = whole;
  }

  BudgetResource whole() {
    return whole;
  }

  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag) {
    return count(whole.allocate(sizeInBytes, timeline, tag));
  }

  /** Allocates from a reservation of the whole budget. */
  Allocation allocate(Reservation reservation, long sizeInBytes, Timeline timeline, String tag) {
    return count(reservation.allocate(sizeInBytes, timeline, tag));
  }

  @Override
  public long deallocate(Allocation allocation) {
    try {
      whole.deallocate(allocation);
    } catch (Error e) {
      if (!allocation.hazards().isOpen()) {
        late.addAndGet(allocation.sizeInBytes());
      }
      throw e;
    }
    outstanding.addAndGet(-allocation.sizeInBytes());
    return allocation.sizeInBytes();
  }

  @Override
  public long awaitReap(long wanted) {
    long returned = late.getAndSet(0);
    outstanding.addAndGet(-returned);
    return returned;
  }

  @Override
  public long bytesOutstanding() {
    return outstanding.get();
  }

  @Override
  public int deviceOrdinal() {
    return whole.deviceOrdinal();
  }

  @Override
  public boolean tracksUses() {
    return whole.tracksUses();
  }

  @Override
  public boolean mayWaitForOthers() {
    return whole.mayWaitForOthers();
  }

  private Allocation count(Allocation allocation) {
    outstanding.addAndGet(allocation.sizeInBytes());
    return allocation;
  }
}

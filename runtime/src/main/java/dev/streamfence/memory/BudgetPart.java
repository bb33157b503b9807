package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A resource as one of several that share a budget sees it: its bytes are back with the free of
 * their block. Those that the device still uses are the whole budget's affair, which nobody could
 * divide by whom they came from. Thread-safe.
 */
final class BudgetPart implements MemoryResource {
  private final BudgetResource whole;
  private final AtomicLong outstanding = new AtomicLong();

  /** Bytes of blocks whose free ended with an {@link Error}, and so could not return them. */
  private final AtomicLong late = new AtomicLong();

  BudgetPart(BudgetResource whole) {
    this.whole = whole;
  }

  BudgetResource whole() {
    return whole;
  }

  @Override
  public Block allocate(long sizeInBytes, Timeline timeline, String tag) {
    return count(whole.allocate(sizeInBytes, timeline, tag));
  }

  /** Allocates from a reservation of the whole budget. */
  Block allocate(Reservation reservation, long sizeInBytes, Timeline timeline, String tag) {
    return count(reservation.allocate(sizeInBytes, timeline, tag));
  }

  @Override
  public long deallocate(Block block) {
    try {
      whole.deallocate(block);
    } catch (Error e) {
      if (!block.dependencies().isOpen()) {
        late.addAndGet(block.sizeInBytes());
      }
      throw e;
    }
    outstanding.addAndGet(-block.sizeInBytes());
    return block.sizeInBytes();
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

  private Block count(Block block) {
    outstanding.addAndGet(block.sizeInBytes());
    return block;
  }
}

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
    whole.deallocate(block);
    outstanding.addAndGet(-block.sizeInBytes());
    return block.sizeInBytes();
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

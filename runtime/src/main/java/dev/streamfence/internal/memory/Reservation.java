package dev.streamfence.internal.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.order.Timeline;

/**
 * Bytes of a {@link BudgetResource} set aside for the holder of this object: its allocations fit
 * the budget whatever others allocate. They outlive the reservation and are freed like any other.
 * Thread-safe.
 */
public final class Reservation implements AutoCloseable {
  private final BudgetResource budget;
  private final AllocationSource source;
  private final Runnable withdrawal;
  private final long size;
  private long remaining;
  private boolean closed;

  /**
   * Creates a reservation of promised bytes.
   *
   * @param source allocates from the bytes
   * @param withdrawal gives up the bytes that the underlying budget has promised too
   */
  Reservation(BudgetResource budget, long bytes, AllocationSource source, Runnable withdrawal) {
    this.budget = budget;
    this.source = source;
    this.withdrawal = withdrawal;
    this.size = bytes;
    this.remaining = bytes;
  }

  /** Bytes not drawn yet; 0 once it is closed. */
  public synchronized long remaining() {
    return remaining;
  }

  /**
   * Allocates from the reserved bytes, like {@link MemoryResource#allocate}. If that fails, the
   * bytes are reserved again.
   *
   * @throws OutOfMemoryBudgetException if more is asked for than is left of the reservation
   * @throws IllegalStateException if the reservation is closed
   */
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag) {
    TrackedResource.requirePositive(sizeInBytes, "an allocation");
    draw(sizeInBytes, tag);
    try {
      return budget.allocatePromised(source, sizeInBytes, timeline, tag);
    } catch (RuntimeException | Error e) {
      putBack(sizeInBytes);
      throw e;
    }
  }

  /** Gives up what was not drawn. Closing again does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    budget.withdraw(remaining);
    remaining = 0;
    withdrawal.run();
  }

  private synchronized void draw(long bytes, String tag) {
    if (closed) {
      throw new IllegalStateException(
          TrackedResource.inWords(tag)
              + " is allocated from a reservation of "
              + size
              + " bytes that is closed; reserve again");
    }
    if (bytes > remaining) {
      throw new OutOfMemoryBudgetException(
          TrackedResource.inWords(tag) + " from a reservation",
          bytes,
          size - remaining,
          size,
          "",
          null);
    }
    remaining -= bytes;
  }

  private synchronized void putBack(long bytes) {
    if (closed) {
      budget.withdraw(bytes);
    } else {
      remaining += bytes;
    }
  }
}

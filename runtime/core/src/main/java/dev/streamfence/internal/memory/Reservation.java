package dev.streamfence.internal.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.order.Timeline;

/**
 * Bytes of a {@link BudgetResource} set aside for the holder of this object: its allocations fit
 * the budget whatever others allocate. They outlive the reservation and are freed like any other.
 * Thread-safe.
 */
public final class Reservation implements AutoCloseable {
  private final AllocationResource resource;
  private final Account account;
  private final long size;
  private long remaining;
  private boolean closed;

  /** Creates a reservation of bytes that the account has promised. */
  Reservation(AllocationResource resource, Account account, long bytes) {
    this.resource = resource;
    this.account = account;
    this.size = bytes;
    this.remaining = bytes;
  }

  /** Bytes not drawn yet; 0 once it is closed. */
  public synchronized long remaining() {
    return remaining;
  }

  /**
   * Allocates from the reserved bytes, like {@link AllocationResource#allocate}. If that fails, the
   * bytes are reserved again.
   *
   * @throws OutOfMemoryBudgetException if more is asked for than is left of the reservation
   * @throws IllegalStateException if the reservation is closed
   */
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag) {
    AllocationResource.requirePositive(sizeInBytes, "an allocation");
    draw(sizeInBytes, tag);
    try {
      return resource.allocate(sizeInBytes, timeline, tag, account);
    } catch (Throwable e) {
      putBack(sizeInBytes);
      throw e;
    }
  }

  /** Gives up what was not drawn. Closing again does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    account.withdrawPromise(remaining);
    remaining = 0;
  }

  @Override
  public synchronized String toString() {
    return "reservation of " + size + " bytes, of which " + remaining + " are left";
  }

  private synchronized void draw(long bytes, String tag) {
    if (closed) {
      throw new IllegalStateException(
          AllocationResource.inWords(tag)
              + " is allocated from a reservation of "
              + size
              + " bytes that is closed; reserve again");
    }
    if (bytes > remaining) {
      throw new OutOfMemoryBudgetException(
          AllocationResource.inWords(tag) + " from a reservation",
          bytes,
          size - remaining,
          0,
          size - remaining,
          size,
          "",
          0,
          null);
    }
    remaining -= bytes;
    account.draw(bytes);
  }

  private synchronized void putBack(long bytes) {
    if (closed) {
      account.withdraw(bytes);
    } else {
      remaining += bytes;
      account.draw(-bytes);
    }
  }
}

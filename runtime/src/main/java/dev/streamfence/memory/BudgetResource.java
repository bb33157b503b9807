package dev.streamfence.memory;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.stream.Timeline;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the bytes that are outstanding at the same time, and the one ledger of a runtime:
 * live, pending, promised. Bytes are claimed before the resource behind it is asked, and given up
 * when that returns them; so whatever is outstanding there, this has reserved it.
 *
 * <p>Thread-safe: the figures are guarded by {@code this}, which is never held while the resource
 * behind it is called. Requests never take together what only one of them may have.
 */
public final class BudgetResource implements MemoryResource {
  private final MemoryResource resource;
  private final long limit;
  private final String name;
  private long reserved;
  private long live;
  private long promised;
  private long peak;

  /**
   * Creates a limit in front of a resource. What is outstanding there counts from the beginning.
   *
   * @param limitInBytes at least 0
   */
  public BudgetResource(MemoryResource resource, long limitInBytes) {
    this(resource, limitInBytes, "");
  }

  private BudgetResource(MemoryResource resource, long limitInBytes, String name) {
    if (limitInBytes < 0) {
      throw new IllegalArgumentException(
          "a budget of " + limitInBytes + " bytes; the limit is at least 0");
    }
    this.resource = resource;
    this.limit = limitInBytes;
    this.name = name;
    this.reserved = resource.bytesOutstanding();
  }

  /**
   * Allocates within the limit. A request that fits the limit but not what is left of it waits once
   * for freed memory to come back.
   */
  @Override
  public Block allocate(long sizeInBytes, Timeline timeline, String tag) {
    TrackedResource.requirePositive(sizeInBytes, "a block");
    admit(sizeInBytes, 0, sizeInBytes, TrackedResource.inWords(tag));
    try {
      return admitted(resource.allocate(sizeInBytes, timeline, tag));
    } catch (RuntimeException | Error e) {
      give(sizeInBytes);
      throw e;
    }
  }

  /**
   * The same memory within a limit of its own, for one of several users. What is allocated there
   * counts in both, but only open blocks count in the part.
   *
   * @param limitInBytes at least 0; more than the whole has is never reached
   * @param partName what its refusals call it
   */
  public BudgetResource part(long limitInBytes, String partName) {
    return new BudgetResource(new BudgetPart(this), limitInBytes, partName);
  }

  @Override
  public long deallocate(Block block) {
    long released;
    try {
      released = resource.deallocate(block);
    } catch (Error e) {
      if (!block.dependencies().isOpen()) {
        // It is closed all the same; its bytes come back with a reap.
        close(block);
      }
      throw e;
    }
    synchronized (this) {
      live -= block.sizeInBytes();
      reserved -= released;
    }
    return released;
  }

  @Override
  public long awaitReap(long wanted) {
    long released = resource.awaitReap(wanted);
    give(released);
    return released;
  }

  @Override
  public long bytesOutstanding() {
    return resource.bytesOutstanding();
  }

  @Override
  public int deviceOrdinal() {
    return resource.deviceOrdinal();
  }

  @Override
  public boolean tracksUses() {
    return resource.tracksUses();
  }

  @Override
  public Optional<Budget> budget() {
    return Optional.of(snapshot());
  }

  /** The figures at this moment. */
  public synchronized Budget snapshot() {
    long open = Math.max(0, live);
    return new Budget(limit, open, Math.max(0, reserved - open), promised, peak);
  }

  /** Starts the peak again from what is live now. */
  public synchronized void resetPeak() {
    peak = Math.max(0, live);
  }

  /**
   * Sets bytes aside for several allocations. Nothing is allocated. Waits like {@link #allocate}
   * where they do not fit.
   *
   * @param bytes at least 1
   * @throws OutOfMemoryBudgetException if they do not fit; nothing has changed
   */
  public Reservation reserve(long bytes) {
    TrackedResource.requirePositive(bytes, "a reservation");
    admit(0, bytes, bytes, "a reservation");
    if (!(resource instanceof BudgetPart part)) {
      return new Reservation(this, bytes, resource::allocate, () -> {});
    }
    try {
      Reservation ofWhole = part.whole().reserve(bytes);
      return new Reservation(
          this,
          bytes,
          (size, timeline, tag) -> part.allocate(ofWhole, size, timeline, tag),
          ofWhole::close);
    } catch (RuntimeException | Error e) {
      withdraw(bytes);
      throw e;
    }
  }

  /** Allocates from promised bytes, which the caller has taken off its reservation. */
  Block allocatePromised(BlockSource source, long sizeInBytes, Timeline timeline, String tag) {
    synchronized (this) {
      promised -= sizeInBytes;
      reserved += sizeInBytes;
    }
    try {
      return admitted(source.allocate(sizeInBytes, timeline, tag));
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        promised += sizeInBytes;
        reserved -= sizeInBytes;
      }
      throw e;
    }
  }

  private synchronized void close(Block block) {
    live -= block.sizeInBytes();
  }

  synchronized void withdraw(long bytes) {
    promised -= bytes;
  }

  private synchronized Block admitted(Block block) {
    live += block.sizeInBytes();
    peak = Math.max(peak, live);
    return block;
  }

  private synchronized void give(long bytes) {
    reserved -= bytes;
  }

  private void admit(long claim, long promise, long bytes, String what) {
    if (tryAdmit(claim, promise, bytes)) {
      return;
    }
    if (bytes <= limit) {
      DeviceException reapFailed = tryReap(missing(bytes));
      if (tryAdmit(claim, promise, bytes)) {
        return;
      }
      throw refusal(what, bytes, reapFailed);
    }
    throw refusal(what, bytes, null);
  }

  /** What could not be reaped is still reserved; the request is then refused for its size. */
  private @Nullable DeviceException tryReap(long wanted) {
    try {
      awaitReap(wanted);
      return null;
    } catch (DeviceException e) {
      return e;
    }
  }

  private synchronized OutOfMemoryBudgetException refusal(
      String what, long bytes, @Nullable DeviceException cause) {
    return new OutOfMemoryBudgetException(what, bytes, reserved + promised, limit, name, cause);
  }

  private synchronized boolean tryAdmit(long claim, long promise, long bytes) {
    if (bytes > limit - reserved - promised) {
      return false;
    }
    reserved += claim;
    promised += promise;
    return true;
  }

  private synchronized long missing(long bytes) {
    return Math.max(0, bytes - (limit - reserved - promised));
  }
}

package dev.streamfence.internal.memory;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.order.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the bytes that are outstanding at the same time, and the one ledger of a runtime:
 * live, pending, promised. Bytes are claimed before the underlying resource is called, and given up
 * when it returns them; so everything outstanding there is reserved here.
 *
 * <p>Thread-safe: {@code this} guards the figures and is never held while the underlying resource
 * is called. Concurrent requests never exceed the limit together. None is refused while another
 * thread is returning bytes, except in a thread with a launch open.
 */
public final class BudgetResource implements MemoryResource {
  private final MemoryResource resource;
  private final long limit;
  private final String name;
  private long reserved;
  private long live;
  private long promised;
  private long peak;

  /** The threads of calls that may have received returned bytes which still count here. */
  private final List<Thread> returning = new ArrayList<>();

  /**
   * Creates a limit in front of a resource. Bytes already outstanding there count.
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
   * Allocates within the limit. A request that fits the limit but not its remaining bytes waits for
   * freed memory, including the memory that other threads are returning.
   */
  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag) {
    TrackedResource.requirePositive(sizeInBytes, "an allocation");
    admit(sizeInBytes, 0, sizeInBytes, TrackedResource.inWords(tag));
    try {
      return admitted(resource.allocate(sizeInBytes, timeline, tag));
    } catch (RuntimeException | Error e) {
      give(sizeInBytes);
      throw e;
    }
  }

  /**
   * Creates a second limit within this one, for one of several users. An allocation counts in both,
   * but in the part only while it is open.
   *
   * @param limitInBytes at least 0; a limit above the whole's is never reached
   * @param partName its name in refusals
   */
  public BudgetResource part(long limitInBytes, String partName) {
    return new BudgetResource(new BudgetPart(this), limitInBytes, partName);
  }

  @Override
  public long deallocate(Allocation allocation) {
    long released = 0;
    boolean closed = false;
    beginReturning();
    try {
      released = resource.deallocate(allocation);
      closed = true;
    } catch (Error e) {
      // A closed allocation stays closed; its bytes come back with a reap.
      closed = !allocation.hazards().isOpen();
      throw e;
    } finally {
      endReturning(released, closed ? allocation.sizeInBytes() : 0);
    }
    return released;
  }

  @Override
  public long awaitReap(long wanted) {
    long released = 0;
    beginReturning();
    try {
      released = resource.awaitReap(wanted);
    } finally {
      endReturning(released, 0);
    }
    return released;
  }

  @Override
  public boolean mayWaitForOthers() {
    return resource.mayWaitForOthers();
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

  /** Resets the peak to the bytes that are live now. */
  public synchronized void resetPeak() {
    peak = Math.max(0, live);
  }

  /**
   * Sets bytes aside for several allocations, and allocates nothing. Waits like {@link #allocate}
   * if they do not fit.
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

  /** Allocates from promised bytes, which the caller has drawn from its reservation. */
  Allocation allocatePromised(
      AllocationSource source, long sizeInBytes, Timeline timeline, String tag) {
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

  synchronized void withdraw(long bytes) {
    promised -= bytes;
    notifyAll();
  }

  private synchronized Allocation admitted(Allocation allocation) {
    live += allocation.sizeInBytes();
    peak = Math.max(peak, live);
    return allocation;
  }

  private synchronized void give(long bytes) {
    reserved -= bytes;
    notifyAll();
  }

  private synchronized void beginReturning() {
    returning.add(Thread.currentThread());
  }

  private synchronized void endReturning(long released, long closed) {
    returning.remove(Thread.currentThread());
    live -= closed;
    give(released);
  }

  private void admit(long claim, long promise, long bytes, String what) {
    if (tryAdmit(claim, promise, bytes)) {
      return;
    }
    if (bytes <= limit) {
      DeviceException reapFailed = tryReap(missing(bytes));
      if (admitWhatOthersReturn(claim, promise, bytes)) {
        return;
      }
      throw refusal(what, bytes, reapFailed);
    }
    throw refusal(what, bytes, null);
  }

  /**
   * Reaps, and returns a failure instead of throwing it: bytes not reaped stay reserved, and the
   * request is then refused for its size.
   */
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

  /**
   * Admits a request as soon as it fits; gives up if no other thread is returning bytes, or if this
   * one may not wait.
   */
  private boolean admitWhatOthersReturn(long claim, long promise, long bytes) {
    boolean mayWait = resource.mayWaitForOthers();
    boolean interrupted = false;
    try {
      synchronized (this) {
        while (!tryAdmit(claim, promise, bytes)) {
          // A thread that is at it itself, as when a log allocates, would wait for itself.
          if (!mayWait || returning.isEmpty() || returning.contains(Thread.currentThread())) {
            return false;
          }
          try {
            wait();
          } catch (InterruptedException e) {
            // Like any wait for the device: it goes on, and the thread stays interrupted.
            interrupted = true;
          }
        }
        return true;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
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

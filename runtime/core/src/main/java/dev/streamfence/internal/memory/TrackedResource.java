package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A resource that creates allocations and frees them after their registered uses; subclasses obtain
 * memory and give it back. Thread-safe; the only lock held across a driver call is the submission
 * lock of the one stream.
 */
public abstract sealed class TrackedResource extends TrackedFrees implements AllocationResource
    permits UpstreamResource, GuardResource {
  /** {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public static final int OUT_OF_MEMORY = 2;

  final PendingFrees pendingFrees;
  private final Account account = new Account();

  TrackedResource(StreamPool streams, boolean tracing, long bytesPerEvent) {
    super(streams, tracing);
    this.pendingFrees = new PendingFrees(account, bytesPerEvent);
  }

  /** Obtains memory, and makes it known by {@link #register}. */
  abstract Allocation obtain(long sizeInBytes, Timeline timeline, String tag, Account payer);

  @Override
  public final Allocation allocate(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    if (timeline.pool() != streams) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "an allocation of "
              + sizeInBytes
              + " bytes on "
              + timeline
              + " of another device or runtime; name a stream of this one");
    }
    releaseAgain();
    Allocation allocation = obtain(sizeInBytes, timeline, tag, payer);
    payer.opened(sizeInBytes);
    return allocation;
  }

  /**
   * An allocation whose memory has not been given back and overlaps a range; null if none does. If
   * several do, the one at the highest address.
   *
   * @param bytes at least 1
   */
  public final @Nullable Allocation overlapping(long address, long bytes) {
    return live.overlapping(address, address + bytes);
  }

  @Override
  public final Account account() {
    return account;
  }

  @Override
  public final int deviceOrdinal() {
    return driver.properties().ordinal();
  }

  @Override
  public final boolean tracksUses() {
    return true;
  }

  @Override
  public final boolean mayWaitForOthers() {
    return streams.mayWaitForOthers();
  }

  @Override
  public void releasePostponed() {
    releaseAgain();
  }

  @Override
  public long awaitReap(long wanted) {
    long released = releaseAgain();
    return released + (isLost() ? pendingFrees.reapAll() : pendingFrees.reapKnown());
  }

  /**
   * Runs an allocation; if the driver is out of memory, waits for all queued frees, makes room, and
   * runs it again.
   *
   * @param refuser what answers that it is out of memory
   * @param makeRoom whose failure is no reason not to try again
   */
  final <T> T twice(
      long sizeInBytes, String tag, Object refuser, Supplier<T> allocation, Runnable makeRoom) {
    try {
      return allocation.get();
    } catch (CudaDriverException e) {
      if (e.code() != OUT_OF_MEMORY) {
        throw e;
      }
    }
    awaitFrees("making room for " + sizeInBytes + " bytes");
    try {
      return again(allocation, makeRoom);
    } catch (CudaDriverException e) {
      throw e.code() == OUT_OF_MEMORY ? refusal(sizeInBytes, tag, refuser, e) : e;
    }
  }

  /**
   * Makes room, and runs an allocation again.
   *
   * @param makeRoom whose failure is no reason not to try
   */
  static <T> T again(Supplier<T> allocation, Runnable makeRoom) {
    Exception noRoom = null;
    try {
      makeRoom.run();
    } catch (Exception e) {
      noRoom = e;
    }
    try {
      return allocation.get();
    } catch (CudaDriverException e) {
      if (noRoom != null) {
        Suppressed.add(e, noRoom);
      }
      throw e;
    }
  }

  /** Waits until the device has done all queued frees. */
  final void awaitFrees(String purpose) {
    for (Timeline timeline : pendingFrees.timelines()) {
      timeline.synchronize(purpose);
    }
  }

  private OutOfMemoryBudgetException refusal(
      long bytes, String tag, Object refuser, CudaDriverException cause) {
    long total = driver.properties().totalMemoryInBytes();
    long free = -1;
    try {
      MemoryInfo memory = driver.memoryInfo();
      total = memory.totalInBytes();
      free = memory.freeInBytes();
    } catch (CudaDriverException unknown) {
      Suppressed.add(cause, unknown.during("asking how much memory is free"));
    }
    long freed = account.freed();
    // What was waited for is not pending, though only a reap returns it to the account.
    long pending = Math.max(0, freed - pendingFrees.known());
    return OutOfMemoryBudgetException.byDriver(
        AllocationResource.inWords(tag),
        refuser.toString(),
        bytes,
        Math.max(0, account.outstanding() - freed),
        pending,
        account.snapshot().peak(),
        free,
        total,
        cause);
  }
}

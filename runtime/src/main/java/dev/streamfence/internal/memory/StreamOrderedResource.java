package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.PendingFrees.PendingFree;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;

/**
 * Allocates from the driver's stream-ordered pool: allocating and freeing are work on a stream,
 * with a ticket like a launch. A free does not synchronise; a reap returns its bytes once the
 * device has reached it. When the driver is out of memory, a request waits for the queued frees and
 * tries once more. Thread-safe.
 */
public final class StreamOrderedResource extends TrackedResource {
  /**
   * Events for a whole budget of freed bytes: a request that is short of memory waits needlessly
   * for at most 1/64 of the budget.
   */
  private static final int EVENTS_PER_BUDGET = 64;

  /**
   * Creates a resource for the device of a pool.
   *
   * @param tracing whether to record where memory is allocated and closed, which costs a stack
   *     trace each
   */
  public StreamOrderedResource(StreamPool streams, boolean tracing) {
    this(streams, tracing, streams.driver().properties().totalMemoryInBytes());
  }

  /**
   * Creates a resource within a budget, which a decorator enforces.
   *
   * @param budgetInBytes determines how finely frees are told apart: an event covers each
   *     sixty-fourth of it that is freed on a stream
   */
  public StreamOrderedResource(StreamPool streams, boolean tracing, long budgetInBytes) {
    super(streams, tracing, budgetInBytes / EVENTS_PER_BUDGET);
  }

  @Override
  Allocation obtain(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    return twice(sizeInBytes, tag, () -> tryObtain(sizeInBytes, timeline, tag, payer));
  }

  private Allocation tryObtain(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    try (Submission submission =
        timeline.begin(new Purpose("allocating", sizeInBytes, tag, timeline))) {
      submission.preflight();
      long address;
      try {
        address = driver.allocateAsync(sizeInBytes, timeline.stream());
      } catch (CudaDriverException e) {
        throw e.during(submission.purpose());
      }
      Allocation allocation =
          register(address, sizeInBytes, timeline, submission.ticket(), tag, payer);
      submission.commitWithoutEvent();
      return allocation;
    }
  }

  private Allocation register(
      long address, long sizeInBytes, Timeline timeline, long ticket, String tag, Account payer) {
    try {
      return register(
          new Allocation(
              address,
              sizeInBytes,
              tag,
              timeline,
              ticket,
              this::release,
              true,
              payer,
              null,
              site()));
    } catch (Error e) {
      try {
        driver.freeAsync(address, timeline.stream());
      } catch (RuntimeException | Error unfreed) {
        e.addSuppressed(unfreed);
      }
      throw e;
    }
  }

  @Override
  long free(Allocation allocation, Timeline timeline, Submission begun) {
    long bytes = allocation.sizeInBytes();
    long freedBy = 0;
    try {
      try (Submission submission = begun) {
        submission.free(allocation.hazards());
        submission.preflight();
        giveBack(
            allocation,
            submission.purpose(),
            () -> driver.freeAsync(allocation.address(), timeline.stream()));
        freedBy = submission.ticket();
        submission.commitWithoutEvent();
        if (pendingFrees.needsEvent(bytes, timeline)) {
          submission.coverIfPossible();
        }
      }
    } finally {
      // Only now is the ticket submitted, so that a reap may query it.
      if (freedBy > 0) {
        pendingFrees.add(bytes, timeline, freedBy);
      }
    }
    return 0;
  }

  @Override
  public long awaitReap(long wanted) {
    long reaped = super.awaitReap(wanted);
    CudaDriverException failure = null;
    try {
      reaped += reapDone();
      while (reaped < wanted) {
        PendingFree oldest = pendingFrees.oldest();
        if (oldest == null) {
          break;
        }
        oldest.timeline().awaitDone(oldest.ticket(), "waiting for freed memory");
        reaped += reapDone();
      }
    } catch (CudaDriverException e) {
      failure = e;
    }
    // An error must not hide returned bytes; the next reap meets it again.
    reaped += failure != null && isLost() ? pendingFrees.reapAll() : pendingFrees.reapKnown();
    if (failure != null && reaped == 0) {
      throw failure;
    }
    return reaped;
  }

  /**
   * Returns the freed bytes that the device is found to be done with: on each stream, queries the
   * oldest free until one is not done.
   */
  private long reapDone() {
    CudaDriverException failure = null;
    long reaped = 0;
    for (Timeline timeline : pendingFrees.timelines()) {
      try {
        for (PendingFree oldest = pendingFrees.oldest(timeline);
            oldest != null && timeline.isDone(oldest.ticket());
            oldest = pendingFrees.oldest(timeline)) {
          reaped += pendingFrees.reapKnown(timeline);
        }
      } catch (CudaDriverException e) {
        failure = e;
      }
    }
    if (failure != null && reaped == 0) {
      throw failure;
    }
    return reaped;
  }
}

package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;

/**
 * Allocates directly from the driver, without a pool. Memory checkers need this, since a freed
 * address is really invalid. The stream of an allocation only says where its first use is expected.
 * A free waits on the host for every registered use. Thread-safe.
 */
public final class DirectResource extends TrackedResource {
  /** Creates a resource for the device of a pool, see {@link StreamOrderedResource}. */
  public DirectResource(StreamPool streams, boolean tracing) {
    super(streams, tracing, Long.MAX_VALUE);
  }

  @Override
  Allocation obtain(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    Purpose purpose = new Purpose("allocating", sizeInBytes, tag, timeline);
    long address =
        twice(
            sizeInBytes,
            tag,
            () -> {
              try {
                return driver.allocate(sizeInBytes);
              } catch (CudaDriverException e) {
                throw e.during(purpose.purpose());
              }
            });
    try {
      return register(
          new Allocation(
              address, sizeInBytes, tag, timeline, 0, this::release, true, payer, null, site()));
    } catch (Error e) {
      try {
        driver.free(address);
      } catch (RuntimeException | Error unfreed) {
        e.addSuppressed(unfreed);
      }
      throw e;
    }
  }

  @Override
  long free(Allocation allocation, Timeline timeline, Submission begun) {
    Purpose purpose = new Purpose("freeing", allocation.sizeInBytes(), allocation.tag(), timeline);
    try (Submission submission = begun) {
      submission.free(allocation.hazards());
      submission.preflight();
      submission.commitWithoutEvent();
    }
    // Outside the submission, so that no other thread has to wait for the stream meanwhile.
    timeline.synchronize(purpose.purpose());
    giveBack(allocation, purpose.purpose(), () -> driver.free(allocation.address()));
    return allocation.returned();
  }
}

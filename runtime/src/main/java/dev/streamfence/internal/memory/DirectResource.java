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
  Block obtain(long sizeInBytes, Timeline timeline, String tag) {
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
      return adopt(new Block(address, sizeInBytes, tag, timeline, 0, this::release, true, site()));
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
  long free(Block block, Timeline timeline, Submission begun) {
    Purpose purpose = new Purpose("freeing", block.sizeInBytes(), block.tag(), timeline);
    try (Submission submission = begun) {
      submission.free(block.dependencies());
      submission.preflight();
      submission.commitWithoutEvent();
    }
    // Outside the submission, so that no other thread has to wait for the stream meanwhile.
    timeline.synchronize(purpose.purpose());
    giveBack(block, purpose.purpose(), () -> driver.free(block.address()));
    return ledger.gone(block.sizeInBytes());
  }
}

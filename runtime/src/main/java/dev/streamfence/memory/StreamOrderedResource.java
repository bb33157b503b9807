package dev.streamfence.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.stream.StreamPool;
import dev.streamfence.stream.Submission;
import dev.streamfence.stream.Timeline;

/**
 * Blocks from the driver's stream-ordered pool: allocation and free are work on a stream, with a
 * ticket like a launch. A free does not synchronise; its bytes are returned by a reap once the
 * device has got there. When the driver is out of memory, an allocation waits once for what is
 * freed, and asks again. Thread-safe.
 */
public final class StreamOrderedResource extends TrackedResource {
  /**
   * Creates a resource over the device of a pool.
   *
   * @param tracing whether blocks remember where they were allocated and closed, which costs a
   *     stack trace each
   */
  public StreamOrderedResource(StreamPool streams, boolean tracing) {
    super(streams, tracing);
  }

  @Override
  Block obtain(long sizeInBytes, Timeline timeline, String tag) {
    return twice(sizeInBytes, tag, () -> tryObtain(sizeInBytes, timeline, tag));
  }

  private Block tryObtain(long sizeInBytes, Timeline timeline, String tag) {
    try (Submission submission =
        timeline.begin(new Purpose("allocating", sizeInBytes, tag, timeline))) {
      submission.preflight();
      long address;
      try {
        address = driver.allocateAsync(sizeInBytes, timeline.stream());
      } catch (CudaDriverException e) {
        throw streams.faults().note(e, submission.purpose());
      }
      Block block =
          adopt(
              new Block(
                  address,
                  sizeInBytes,
                  tag,
                  timeline,
                  submission.ticket(),
                  this::release,
                  true,
                  site()));
      submission.commitWithoutEvent();
      return block;
    }
  }

  @Override
  long free(Block block, Timeline timeline, Submission begun) {
    long ticket;
    try (Submission submission = begun) {
      submission.free(block.dependencies());
      submission.preflight();
      try {
        driver.freeAsync(block.address(), timeline.stream());
      } catch (CudaDriverException e) {
        throw streams.faults().note(e, submission.purpose());
      }
      submission.commitWithoutEvent();
      ticket = submission.ticket();
    }
    // Only now is the ticket submitted, so that a reap may ask after it. Until here the bytes were
    // live.
    ledger.freed(block.sizeInBytes(), timeline, ticket);
    return 0;
  }

  @Override
  public long awaitReap(long wanted) {
    long reaped = super.awaitReap(wanted);
    CudaDriverException failure = null;
    for (Ledger.Pending pending : ledger.pending()) {
      try {
        pending.timeline().isDone(pending.ticket());
      } catch (CudaDriverException e) {
        failure = e;
      }
    }
    reaped += ledger.reap();
    try {
      for (Ledger.Pending pending : ledger.pending()) {
        if (reaped >= wanted) {
          break;
        }
        pending.timeline().synchronize("waiting for freed memory");
        reaped += ledger.reap();
      }
    } catch (CudaDriverException e) {
      failure = e;
    }
    // Bytes that are returned must not be hidden by an error; whoever asks again meets it again.
    if (failure != null && isLost()) {
      reaped += ledger.reapAll();
    }
    if (failure != null && reaped == 0) {
      throw failure;
    }
    return reaped;
  }
}

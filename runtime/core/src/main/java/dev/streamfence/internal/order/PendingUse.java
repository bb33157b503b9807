package dev.streamfence.internal.order;

import dev.streamfence.CudaDriverException;

/** Work on a stream that may not be done. Immutable. */
public record PendingUse(Timeline timeline, long ticket) {
  /**
   * Waits until the work is done, see {@link Timeline#awaitDone(long, String)}.
   *
   * @throws CudaDriverException if the device is lost
   */
  public void await(String purpose) {
    timeline.awaitDone(ticket, purpose);
  }

  /** Whether the work is done. Does not wait; may ask the driver. */
  public boolean isDone() {
    return timeline.isDone(ticket);
  }
}

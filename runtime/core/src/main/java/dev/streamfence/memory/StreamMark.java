package dev.streamfence.memory;

import dev.streamfence.internal.memory.TicketMark;

/** A point in the order of a stream, see {@link MemoryStream#mark}. Immutable, thread-safe. */
public sealed interface StreamMark permits TicketMark {
  /**
   * Whether the device has reached it, see {@link MemoryStream#mark}. Does not wait; asks the
   * driver unless the answer is known.
   *
   * @throws dev.streamfence.CudaDriverException if the device is lost, or the driver call fails
   * @throws dev.streamfence.RuntimeClosedException if the answer was not known when the runtime was
   *     closed
   */
  boolean isReached();

  /**
   * Waits on the host until the device has reached it.
   *
   * @throws dev.streamfence.CudaDriverException if the device is lost
   * @throws dev.streamfence.RuntimeClosedException if the answer was not known when the runtime was
   *     closed
   */
  void await();
}

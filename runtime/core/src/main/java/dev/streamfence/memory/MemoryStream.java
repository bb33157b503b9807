package dev.streamfence.memory;

import dev.streamfence.internal.memory.ResourceStream;

/**
 * The stream of one call of a {@link MemoryResource}. Valid during the call, in the thread that
 * makes it.
 */
public sealed interface MemoryStream permits ResourceStream {
  /** The driver's {@code CUstream}, for work that the resource queues itself. */
  long handle();

  /**
   * Marks everything queued on this stream so far. For memory that is not stream-ordered, the mark
   * is a point that the device has already reached. Makes no driver call: an event is recorded when
   * another stream first waits for the mark, or the mark is first queried, and may then also cover
   * later work of this stream. The mark stays valid until the runtime closes.
   */
  StreamMark mark();

  /**
   * Makes this stream wait for a mark. Does nothing if the mark is one of this stream, or known to
   * be reached. Otherwise makes at most two driver calls, an event and a wait for it. Does not
   * synchronise unless the driver refuses them, or the resource is not stream-ordered.
   *
   * @throws dev.streamfence.StreamMisuseException if the mark is of another runtime, or the call
   *     for which this stream is valid has ended
   * @throws dev.streamfence.CudaDriverException if the device is lost
   */
  void waitFor(StreamMark mark);
}

package dev.streamfence.memory;

import dev.streamfence.internal.memory.ResourceStream;

/**
 * The stream that a {@link MemoryResource} is called for. Valid during the call, in the thread that
 * makes it.
 */
public sealed interface MemoryStream permits ResourceStream {
  /** The driver's {@code CUstream}, for work that the resource queues itself. */
  long handle();

  /**
   * Marks everything queued on this stream so far, or of memory that is not stream-ordered, what
   * the device is done with. Makes no driver call: an event is recorded when another stream first
   * waits, or the mark is first asked, and may then cover later work of this stream, too. The mark
   * stays valid until the runtime closes.
   */
  StreamMark mark();

  /**
   * Makes this stream wait for a mark. Does nothing if the mark is of this stream, or known to have
   * been reached. Otherwise two driver calls at most, an event and a wait for it; does not
   * synchronise unless the driver refuses them, or the resource is not stream-ordered.
   *
   * @throws dev.streamfence.StreamMisuseException if the mark is of another runtime, or the call
   *     for which this stream is valid has ended
   * @throws dev.streamfence.CudaDriverException if the device is lost
   */
  void waitFor(StreamMark mark);
}

package dev.streamfence.internal.order;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import org.jspecify.annotations.Nullable;

/**
 * The driver's stream of a timeline. The pool's own streams keep theirs; an adopted one goes back
 * to its owner, who may destroy it, and the timeline goes on with the next one that is adopted.
 * Thread-safe: work is put on the stream of an adopted timeline under the submission lock, and
 * events are recorded there under the event ring's; {@link #detach} is called under both.
 */
final class StreamSlot {
  private final boolean adopted;
  private volatile @Nullable StreamHandle handle;

  private StreamSlot(boolean adopted, @Nullable StreamHandle handle) {
    this.adopted = adopted;
    this.handle = handle;
  }

  /** The slot of a stream of the pool's own. */
  static StreamSlot of(StreamHandle handle) {
    return new StreamSlot(false, handle);
  }

  /** A slot without a stream, for one that other code made. */
  static StreamSlot forAdopted() {
    return new StreamSlot(true, null);
  }

  /** The stream; throws if it went back to its owner. */
  StreamHandle handle() {
    StreamHandle attached = handle;
    if (attached == null) {
      throw new IllegalStateException("an adopted stream is used after it went back to its owner");
    }
    return attached;
  }

  /** Whether other code made the stream and destroys it. */
  boolean isAdopted() {
    return adopted;
  }

  boolean isAttached() {
    return handle != null;
  }

  void attach(StreamHandle stream) {
    handle = stream;
  }

  void detach() {
    handle = null;
  }
}

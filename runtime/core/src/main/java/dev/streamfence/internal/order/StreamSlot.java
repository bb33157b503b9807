package dev.streamfence.internal.order;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The driver's stream of a timeline. One of the pool's own is exchanged when the timeline is lent
 * with another priority. An adopted one goes back to its owner, who may destroy it, and the
 * timeline goes on with the next one that is adopted.
 *
 * <p>Thread-safe: work is put on the stream under the submission lock, and events are recorded
 * there under the event ring's; {@link #exchange} and {@link #detach} are called under both. Other
 * questions about a stream of the pool's own need no lock: it is not destroyed before {@link #ask}
 * returns.
 */
final class StreamSlot {
  /** A stream, and how many threads are asking the driver about it. */
  private static final class Attached {
    private final StreamHandle handle;

    /** Guarded by the slot. */
    private int askers;

    private Attached(StreamHandle handle) {
      this.handle = handle;
    }
  }

  private final boolean adopted;
  private volatile @Nullable Attached current;

  /** Streams that were exchanged and are not destroyed. Guarded by this. */
  private final List<Attached> exchanged = new ArrayList<>(0);

  private StreamSlot(boolean adopted, @Nullable StreamHandle handle) {
    this.adopted = adopted;
    this.current = handle == null ? null : new Attached(handle);
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
    return attached().handle;
  }

  private Attached attached() {
    Attached attached = current;
    if (attached == null) {
      throw new IllegalStateException("an adopted stream is used after it went back to its owner");
    }
    return attached;
  }

  /** Answers a question about the stream, which is not destroyed meanwhile. */
  boolean ask(Predicate<StreamHandle> question) {
    Attached asked;
    synchronized (this) {
      asked = attached();
      asked.askers++;
    }
    try {
      return question.test(asked.handle);
    } finally {
      synchronized (this) {
        asked.askers--;
      }
    }
  }

  /** Whether other code made the stream and destroys it. */
  boolean isAdopted() {
    return adopted;
  }

  boolean isAttached() {
    return current != null;
  }

  /**
   * Whether the runtime may put anything on the stream: it has not gone back to its owner, and is
   * not being captured. Only an owner captures a stream; of the pool's own, the driver is not
   * asked.
   */
  boolean isUsable(CudaDriver driver) {
    return !adopted || (isAttached() && !driver.isCapturing(handle()));
  }

  void attach(StreamHandle stream) {
    current = new Attached(stream);
  }

  void detach() {
    current = null;
  }

  /** Goes on with another stream of the pool's own; {@link #destroyExchanged} destroys this one. */
  synchronized void exchange(StreamHandle next) {
    Attached replacement = new Attached(next);
    exchanged.add(attached());
    current = replacement;
  }

  /**
   * Destroys the streams that were exchanged, except those that a thread is asking about; what
   * cannot be destroyed remains for the next call.
   */
  synchronized void destroyExchanged(CudaDriver driver) {
    for (int i = exchanged.size() - 1; i >= 0; i--) {
      if (exchanged.get(i).askers == 0) {
        driver.destroyStream(exchanged.get(i).handle);
        exchanged.remove(i);
      }
    }
  }
}

package dev.streamfence;

import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Timeline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A stream of a device, lent to its acquirer until it is closed. Work queued on one stream runs in
 * that order. Between two streams, the runtime automatically orders work that uses the same arrays,
 * and only that.
 *
 * <p>Thread-safe: threads that launch on the same stream take turns.
 */
public final class DeviceStream implements AutoCloseable {
  private final DeviceRuntime runtime;
  private final Timeline timeline;
  private final boolean lent;
  private final AtomicBoolean closed = new AtomicBoolean();

  DeviceStream(DeviceRuntime runtime, Timeline timeline, boolean lent) {
    this.runtime = runtime;
    this.timeline = timeline;
    this.lent = lent;
  }

  /** The runtime that it belongs to. */
  public DeviceRuntime runtime() {
    return runtime;
  }

  /**
   * Its number within the runtime; 0 is the default stream. A number is reused after {@link
   * #close}.
   */
  public int id() {
    return timeline.index();
  }

  /**
   * Waits until everything queued on this stream so far is done. An interrupt does not end the
   * wait; the thread stays interrupted.
   *
   * @throws CudaDriverException if some of it failed
   * @throws StreamMisuseException if the stream is closed
   * @throws RuntimeClosedException if its runtime is closed
   */
  public void synchronize() {
    timeline().synchronize("synchronizing " + this);
  }

  /**
   * Waits like {@link #synchronize()}, but no longer than a timeout.
   *
   * @param timeout at least 0
   * @return whether everything is done
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public boolean synchronize(Duration timeout) throws InterruptedException {
    return timeline().synchronize(Deadline.after(timeout));
  }

  /** Whether everything queued on this stream so far is done. Does not synchronise. */
  public boolean isIdle() {
    return timeline().isIdle();
  }

  /**
   * Gives the stream back. Does not synchronise: queued work still runs, before that of the next
   * borrower. Closing it again, or closing the default stream, does nothing.
   */
  @Override
  public void close() {
    if (lent && closed.compareAndSet(false, true)) {
      runtime.release(timeline);
    }
  }

  /** The order of this stream's work; throws if the stream or its runtime is closed. */
  Timeline timeline() {
    if (closed.get()) {
      throw new StreamMisuseException(this + " is closed; acquire another one");
    }
    runtime.life().requireOpen();
    return timeline;
  }

  @Override
  public String toString() {
    return "stream " + timeline.index() + " of " + runtime;
  }
}

package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Timeline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** The implementation of {@link DeviceStream}. */
public final class TrackedStream implements DeviceStream {
  private final TrackedRuntime runtime;
  private final Timeline timeline;
  private final boolean lent;
  private final AtomicBoolean closed = new AtomicBoolean();

  TrackedStream(TrackedRuntime runtime, Timeline timeline, boolean lent) {
    this.runtime = runtime;
    this.timeline = timeline;
    this.lent = lent;
  }

  @Override
  public TrackedRuntime runtime() {
    return runtime;
  }

  @Override
  public int id() {
    return timeline.index();
  }

  @Override
  public void synchronize() {
    timeline().synchronize("synchronizing " + this);
  }

  @Override
  public boolean synchronize(Duration timeout) throws InterruptedException {
    return timeline().synchronize(Deadline.after(timeout));
  }

  @Override
  public boolean isIdle() {
    return timeline().isIdle();
  }

  @Override
  public void close() {
    if (lent && closed.compareAndSet(false, true)) {
      runtime.release(timeline);
    }
  }

  /** The implementation behind a handle. */
  public static TrackedStream of(DeviceStream stream) {
    return (TrackedStream) stream;
  }

  /** The order of a stream's work; throws if the stream or its runtime is closed. */
  public static Timeline timelineOf(DeviceStream stream) {
    return of(stream).timeline();
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

package dev.streamfence.internal.device;

import dev.streamfence.Completion;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.foreign.ForeignCode;
import dev.streamfence.foreign.ForeignUses;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceStream}. */
public final class TrackedStream implements DeviceStream {
  private final TrackedRuntime runtime;
  private final Timeline timeline;
  private final @Nullable Consumer<Timeline> release;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates a handle of a stream.
   *
   * @param release what its close does; null if it has no effect
   */
  TrackedStream(TrackedRuntime runtime, Timeline timeline, @Nullable Consumer<Timeline> release) {
    this.runtime = runtime;
    this.timeline = timeline;
    this.release = release;
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
    runtime.life().requireNotRecording(() -> "synchronizing " + this);
    usable("synchronizing ").synchronize("synchronizing " + this);
  }

  @Override
  public boolean synchronize(Duration timeout) throws InterruptedException {
    runtime.life().requireNotRecording(() -> "synchronizing " + this);
    return usable("synchronizing ").synchronize(Deadline.after(timeout));
  }

  @Override
  public boolean isIdle() {
    return usable("a query of ").isIdle();
  }

  @Override
  public <X extends Exception> Completion submit(
      String name, Consumer<ForeignUses> uses, ForeignCode<X> code) throws X {
    Objects.requireNonNull(uses, "uses");
    Objects.requireNonNull(code, "code");
    return new ForeignScope(this, Objects.requireNonNull(name, "name")).run(uses, code);
  }

  @Override
  public void close() {
    if (release != null && closed.compareAndSet(false, true)) {
      try {
        release.accept(timeline);
      } catch (StreamMisuseException e) {
        closed.set(false);
        throw e;
      }
    }
  }

  /** The implementation behind a handle. */
  public static TrackedStream of(DeviceStream stream) {
    return (TrackedStream) Objects.requireNonNull(stream, "stream");
  }

  /** The order of a stream's work; throws if the stream or its runtime is closed. */
  public static Timeline timelineOf(DeviceStream stream) {
    return of(stream).timeline();
  }

  /** The same; where the stream is closed, the error names the work with these labels. */
  public static Timeline timelineOf(DeviceStream stream, UseLabels labels) {
    TrackedStream tracked = of(stream);
    if (tracked.closed.get()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.CLOSED_STREAM,
          labels.work(),
          " begins on " + tracked + ", which is closed; acquire another one");
    }
    return tracked.timelineOfOpenRuntime();
  }

  /** The order of this stream's work; throws if the stream or its runtime is closed. */
  Timeline timeline() {
    if (closed.get()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.CLOSED_STREAM, this + " is closed; acquire another one");
    }
    return timelineOfOpenRuntime();
  }

  private Timeline timelineOfOpenRuntime() {
    runtime.life().requireOpen();
    return timeline;
  }

  /** The order of this stream's work, for a question that the driver refuses during a capture. */
  private Timeline usable(String question) {
    Timeline asked = timeline();
    if (runtime.life().tryEnter()) {
      try {
        asked.requireNotCapturing(() -> question + this);
      } finally {
        runtime.life().leave();
      }
    }
    return asked;
  }

  @Override
  public String toString() {
    return timeline + " of " + runtime;
  }
}

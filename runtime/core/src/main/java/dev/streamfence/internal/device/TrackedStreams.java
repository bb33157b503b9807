package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.DeviceStreams;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.StreamPool;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceStreams}. */
public final class TrackedStreams implements DeviceStreams {
  private final TrackedRuntime runtime;
  private final StreamPool pool;

  TrackedStreams(TrackedRuntime runtime, StreamPool pool) {
    this.runtime = runtime;
    this.pool = pool;
  }

  @Override
  public TrackedStream acquire() {
    return acquire(0);
  }

  @Override
  public TrackedStream acquire(int priority) {
    runtime.life().enter();
    try {
      return new TrackedStream(runtime, pool.acquire(priority), runtime::release);
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public Optional<DeviceStream> acquire(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    runtime.requireMayWait("a wait for a stream");
    return Optional.ofNullable(pool.returned().await(this::tryAcquire, deadline));
  }

  private @Nullable DeviceStream tryAcquire() {
    try {
      return acquire();
    } catch (StreamMisuseException e) {
      if (e.kind() == StreamMisuseException.Misuse.NO_STREAM_LEFT) {
        return null;
      }
      throw e;
    }
  }

  @Override
  public TrackedStream defaultStream() {
    runtime.life().enter();
    try {
      return new TrackedStream(runtime, pool.defaultTimeline(), null);
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public TrackedStream adopt(long rawHandle) {
    runtime.life().enter();
    try {
      return new TrackedStream(runtime, pool.adopt(rawHandle), runtime::giveBack);
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public long plannedBytes(int operators, int streamsPerOperator) {
    if (operators < 0 || streamsPerOperator < 0) {
      throw new IllegalArgumentException(
          "a plan for "
              + operators
              + " operators of "
              + streamsPerOperator
              + " streams; each number is at least 0");
    }
    // Two ints fit in a long.
    long streams = (long) operators * streamsPerOperator;
    long bytes = runtime.options().plannedBytesPerStream();
    return streams > 0 && bytes > Long.MAX_VALUE / streams ? Long.MAX_VALUE : streams * bytes;
  }

  @Override
  public int capacity() {
    return pool.capacity();
  }

  @Override
  public int lent() {
    return pool.lent();
  }
}

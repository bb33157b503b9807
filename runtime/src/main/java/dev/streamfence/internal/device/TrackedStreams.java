package dev.streamfence.internal.device;

import dev.streamfence.DeviceStreams;
import dev.streamfence.internal.order.StreamPool;

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
  public int capacity() {
    return pool.capacity();
  }

  @Override
  public int lent() {
    return pool.lent();
  }
}

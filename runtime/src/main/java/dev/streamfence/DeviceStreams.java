package dev.streamfence;

import dev.streamfence.internal.order.StreamPool;

/** The streams of a runtime. Thread-safe. */
public final class DeviceStreams {
  private final DeviceRuntime runtime;
  private final StreamPool pool;

  DeviceStreams(DeviceRuntime runtime, StreamPool pool) {
    this.runtime = runtime;
    this.pool = pool;
  }

  /**
   * Lends a stream until it is closed. Does not synchronise.
   *
   * @throws StreamMisuseException if all streams are lent; the message gives their number
   */
  public DeviceStream acquire() {
    return acquire(0);
  }

  /**
   * Lends a stream with a priority until it is closed. Does not synchronise.
   *
   * @param priority 0 for the default, lower for more urgent; the device has a few levels and uses
   *     the nearest
   * @throws StreamMisuseException if all streams are lent, or the free ones have another priority
   */
  public DeviceStream acquire(int priority) {
    runtime.life().enter();
    try {
      return new DeviceStream(runtime, pool.acquire(priority), true);
    } finally {
      runtime.life().leave();
    }
  }

  /**
   * The stream with number 0, which all threads share and which stays open. It is an ordinary
   * stream of this runtime, not CUDA's legacy default stream, and has no implicit order with
   * others.
   */
  public DeviceStream defaultStream() {
    runtime.life().enter();
    try {
      return new DeviceStream(runtime, pool.defaultTimeline(), false);
    } finally {
      runtime.life().leave();
    }
  }

  /** How many streams may be lent at the same time. */
  public int capacity() {
    return pool.capacity();
  }

  /** How many streams are lent. */
  public int lent() {
    return pool.lent();
  }
}

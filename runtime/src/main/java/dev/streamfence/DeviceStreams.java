package dev.streamfence;

import dev.streamfence.internal.device.TrackedStreams;

/** The streams of a runtime. Thread-safe. */
public sealed interface DeviceStreams permits TrackedStreams {
  /**
   * Lends a stream until it is closed. Does not synchronise.
   *
   * @throws StreamMisuseException if all streams are lent; the message gives their number
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver cannot create a stream
   */
  DeviceStream acquire();

  /**
   * Lends a stream with a priority until it is closed. Does not synchronise.
   *
   * @param priority 0 for the default, lower for more urgent; the device has a few levels and uses
   *     the nearest
   * @throws StreamMisuseException if all streams are lent, or the free ones have another priority
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver cannot create a stream
   */
  DeviceStream acquire(int priority);

  /**
   * The stream with number 0, which all threads share and which stays open. It is an ordinary
   * stream of this runtime, not CUDA's legacy default stream, and has no implicit order with
   * others.
   *
   * @throws RuntimeClosedException if the runtime is closed
   */
  DeviceStream defaultStream();

  /** How many streams may be lent at the same time. */
  int capacity();

  /** How many streams are lent. */
  int lent();
}

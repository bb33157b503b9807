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
   * Lends a stream with a priority until it is closed. Does not synchronise: if only streams of
   * other priorities are free, the driver's stream of one is exchanged, and its work comes first.
   *
   * @param priority 0 for the default, lower for more urgent; the device has a few levels and uses
   *     the nearest
   * @throws StreamMisuseException if all streams are lent; or if one has to be exchanged that
   *     another thread is using at this moment, and this thread has a launch open
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

  /**
   * Takes a stream that other code made into the order of this runtime, until it is closed: it can
   * be used like any other stream here, and the runtime orders its work with that of others. Does
   * not synchronise.
   *
   * <p>The runtime never destroys the stream. Its owner may put work on it as well, which runs in
   * the order of the stream; what such work does with arrays of this runtime is tracked only if it
   * is put there by {@link DeviceStream#submit}. The owner must not destroy the stream before the
   * returned handle is closed, and the driver cannot tell whether a handle exists: another number
   * may end the process. A stream that is adopted twice is one stream, which goes back with the
   * last close; a raw handle of one of this runtime's streams is that stream, whose close then has
   * no effect. At most 16 are adopted at the same time.
   *
   * @param rawHandle a {@code CUstream} or {@code cudaStream_t} of this device's primary context; 0
   *     or 1 for the legacy default stream
   * @throws IllegalArgumentException if it is 2, the default stream of each thread, or belongs to
   *     another context
   * @throws StreamMisuseException if too many streams are adopted
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver refuses the stream
   */
  DeviceStream adopt(long rawHandle);

  /**
   * The device memory to plan with for operators that run at the same time: {@link
   * RuntimeOptions#plannedBytesPerStream} for each of their streams. Limits and allocates nothing;
   * a caller may reserve so much, or compare it with the budget. At most {@link Long#MAX_VALUE}.
   *
   * @param operators how many run at the same time, at least 0
   * @param streamsPerOperator how many streams each of them uses, at least 0
   * @throws IllegalArgumentException if one of the numbers is negative
   */
  long plannedBytes(int operators, int streamsPerOperator);

  /** How many streams may be lent at the same time. */
  int capacity();

  /** How many streams are lent. */
  int lent();
}

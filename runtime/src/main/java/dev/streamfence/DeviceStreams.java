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

  /** How many streams may be lent at the same time. */
  int capacity();

  /** How many streams are lent. */
  int lent();
}

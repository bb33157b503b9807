package dev.streamfence;

import dev.streamfence.internal.device.TrackedStreams;
import java.time.Duration;
import java.util.Optional;

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
   * Lends a stream with a priority until it is closed. Does not synchronise. If only streams of
   * other priorities are free, the runtime replaces the driver stream behind one of them; work that
   * is already queued there runs first.
   *
   * @param priority 0 for the default, lower for more urgent; the device has a few levels and uses
   *     the nearest
   * @throws StreamMisuseException if all streams are lent; or if a stream whose driver stream has
   *     to be replaced is being used by another thread, and this thread has a launch open
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver cannot create a stream
   */
  DeviceStream acquire(int priority);

  /**
   * Lends a stream like {@link #acquire()}, and waits for one while all are lent: the first to wait
   * is the first to get one. So a pool of tasks needs no semaphore. A call without a timeout does
   * not wait behind those that do.
   *
   * @param timeout how long to wait at most; 0 to not wait
   * @return empty if all streams were still lent at the end
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws StreamMisuseException if this thread has a launch open, for whose end others may wait
   * @throws IllegalArgumentException if the timeout is negative
   * @throws RuntimeClosedException if the runtime is closed, also while this call waits
   * @throws CudaDriverException if the device is lost, or the driver cannot create a stream
   */
  Optional<DeviceStream> acquire(Duration timeout) throws InterruptedException;

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
   * <p>The runtime never destroys the stream. Its owner may queue work on it as well, which runs in
   * the order of the stream; the runtime tracks uses of its arrays by such work only if {@link
   * DeviceStream#submit} queues it. The owner must not destroy the stream before the returned
   * handle is closed. The driver cannot check whether a handle exists, so a wrong number may end
   * the process. A stream that is adopted twice is one stream, which is returned with the last
   * close. If the raw handle is that of one of this runtime's streams, the result is that stream,
   * and closing the result has no effect. At most 16 streams can be adopted at the same time.
   *
   * <p>While the owner captures the stream, everything on it is refused here, since it would become
   * a part of the owner's graph. The owner must not begin a capture while this runtime queues work.
   *
   * @param rawHandle a {@code CUstream} or {@code cudaStream_t} of this device's primary context; 0
   *     or 1 for the legacy default stream
   * @throws IllegalArgumentException if it is 2, the default stream of each thread, or belongs to
   *     another context
   * @throws StreamMisuseException if too many streams are adopted, or this one is being captured
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver refuses the stream
   */
  DeviceStream adopt(long rawHandle);

  /**
   * The device memory to plan for operators that run at the same time: {@link
   * RuntimeOptions#plannedBytesPerStream} for each of their streams. Limits and allocates nothing;
   * a caller may reserve this amount, or compare it with the budget. At most {@link
   * Long#MAX_VALUE}.
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

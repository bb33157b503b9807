package dev.streamfence;

import dev.streamfence.internal.device.TrackedStream;
import java.time.Duration;

/**
 * A stream of a device, lent to its acquirer until it is closed. Work queued on one stream runs in
 * that order. Between two streams, the runtime automatically orders work that uses the same arrays,
 * and only that.
 *
 * <p>Thread-safe: threads that launch on the same stream take turns.
 */
public sealed interface DeviceStream extends AutoCloseable permits TrackedStream {
  /** The runtime that it belongs to. */
  DeviceRuntime runtime();

  /**
   * Its number within the runtime; 0 is the default stream. A number is reused after {@link
   * #close}.
   */
  int id();

  /**
   * Waits until everything queued on this stream so far is done. An interrupt does not end the
   * wait; the thread stays interrupted.
   *
   * @throws CudaDriverException if some of it failed
   * @throws StreamMisuseException if the stream is closed
   * @throws RuntimeClosedException if its runtime is closed
   */
  void synchronize();

  /**
   * Waits like {@link #synchronize()}, but no longer than a timeout.
   *
   * @param timeout at least 0
   * @return whether everything is done
   * @throws IllegalArgumentException if the timeout is negative
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws CudaDriverException if some of it failed
   * @throws StreamMisuseException if the stream is closed
   * @throws RuntimeClosedException if its runtime is closed
   */
  boolean synchronize(Duration timeout) throws InterruptedException;

  /**
   * Whether everything queued on this stream so far is done. Does not synchronise.
   *
   * @throws CudaDriverException if the device is lost, or the driver call fails
   * @throws StreamMisuseException if the stream is closed
   * @throws RuntimeClosedException if its runtime is closed
   */
  boolean isIdle();

  /**
   * Gives the stream back. Does not synchronise: queued work still runs, before that of the next
   * borrower. Closing it again, or closing the default stream, does nothing.
   */
  @Override
  void close();
}

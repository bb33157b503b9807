package dev.streamfence;

import dev.streamfence.foreign.ForeignCode;
import dev.streamfence.foreign.ForeignUses;
import dev.streamfence.internal.device.TrackedStream;
import java.time.Duration;
import java.util.function.Consumer;

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
   * @throws StreamMisuseException if the stream is closed, or its owner captures it
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
   * @throws StreamMisuseException if the stream is closed, or its owner captures it
   * @throws RuntimeClosedException if its runtime is closed
   */
  boolean synchronize(Duration timeout) throws InterruptedException;

  /**
   * Whether everything queued on this stream so far is done. Does not synchronise.
   *
   * @throws CudaDriverException if the device is lost, or the driver call fails
   * @throws StreamMisuseException if the stream is closed, or its owner captures it
   * @throws RuntimeClosedException if its runtime is closed
   */
  boolean isIdle();

  /**
   * Runs code that queues work on this stream itself, such as a call of a library, and tracks it
   * like a launch: orders it after the work that the declared uses depend on, runs it once with raw
   * handles, and orders later uses after everything that it has queued on this stream. The thread
   * holds the stream meanwhile, and cannot launch anything else. Does not synchronise.
   *
   * <p>The runtime cannot see what the code does. The code must use only the declared memory, in
   * the declared way. If it queues work on another stream, it must make this stream wait for that
   * work. It must not keep an address for later. The simulated device checks that, as far as the
   * code uses a {@code SimulatedLibrary}.
   *
   * @param name the name of the call in errors and reports, for example {@code "sgemm"}
   * @param uses declares the arrays that the code uses; called once, before the code
   * @param code queues the work on the stream; called once, unless a use is refused. The device's
   *     context is current. If it throws, the arrays count as used, since work may have been queued
   * @return the completion of everything that the code has queued on this stream
   * @throws X if the code throws it
   * @throws IllegalArgumentException if a declared array is null
   * @throws UseAfterFreeException if a declared array is closed; the code has not run
   * @throws UninitializedReadException if memory is guarded, and a declared read is of an array
   *     that nothing has written; the code has not run
   * @throws StreamMisuseException if the stream is closed or its owner captures it, if this thread
   *     has a launch open, or if a declared array is of a device that this one {@linkplain
   *     DeviceRuntime#canAccess cannot access}, or is read-only and declared as written; the code
   *     has not run. Also if the code has returned while it captures the stream: the capture is
   *     discarded
   * @throws RuntimeClosedException if its runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver refuses a wait or an event
   */
  <X extends Exception> Completion submit(
      String name, Consumer<ForeignUses> uses, ForeignCode<X> code) throws X;

  /**
   * Gives the stream back. Does not synchronise: queued work still runs, before that of the next
   * borrower. Closing it again, or closing the default stream, does nothing. An adopted stream goes
   * back to its owner, and no call of the runtime uses it afterwards; its queued work still counts.
   *
   * @throws StreamMisuseException if an adopted stream is closed while this thread has a launch
   *     open; the stream stays adopted
   */
  @Override
  void close();
}

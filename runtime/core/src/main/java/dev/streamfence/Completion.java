package dev.streamfence;

import dev.streamfence.internal.completion.RecordedCompletion;
import dev.streamfence.internal.completion.TrackedCompletion;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The completion of a launch; callers can query it, wait for it, or continue after it. Immutable
 * and thread-safe; it holds no resource, and stays usable after its stream is given back. After its
 * runtime is closed, it keeps its last state: closing waits for all work, so a launch counts as
 * done unless that wait failed.
 *
 * <p>A stream tracks its last 32 launches individually. When more than 32 are queued behind this
 * one, it counts as done when the oldest of those 32 is.
 */
public sealed interface Completion permits Download, RecordedCompletion, TrackedCompletion {
  /**
   * Whether the launch is done. Does not wait; asks the driver unless the answer is already known.
   *
   * @throws CudaDriverException if the device is lost, and the launch was not known to be done
   * @throws RuntimeClosedException if the runtime is closed, and the launch was not known to be
   *     done before
   */
  boolean isDone();

  /**
   * Waits until the launch is done, and with it everything queued on its stream before. An
   * interrupt does not end the wait; the thread stays interrupted.
   *
   * @throws StreamMisuseException if called inside the launch itself, where it would deadlock
   * @throws RuntimeClosedException if the runtime is closed, and the launch was not known to be
   *     done before
   * @throws CudaDriverException if the device is lost, and the launch was not known to be done
   */
  void await();

  /**
   * Waits like {@link #await()}, but no longer than a timeout.
   *
   * @param timeout at least 0
   * @return whether the launch is done
   * @throws IllegalArgumentException if the timeout is negative
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws StreamMisuseException as {@link #await()}
   * @throws RuntimeClosedException as {@link #await()}
   * @throws CudaDriverException as {@link #await()}
   */
  boolean await(Duration timeout) throws InterruptedException;

  /**
   * Completes when the launch is done, or exceptionally with what {@link #isDone} throws: a {@link
   * CudaDriverException} if the device is lost, a {@link RuntimeClosedException} if the runtime is
   * closed before the launch was known to be done. A thread of the runtime polls the device, so the
   * stage completes up to a millisecond late. Continuations without an executor run in that thread
   * and must not block.
   */
  CompletionStage<Void> stage();
}

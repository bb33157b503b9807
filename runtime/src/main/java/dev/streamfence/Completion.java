package dev.streamfence;

import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Timeline;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Tells when a launch is done; callers can ask, wait, or continue after it. Immutable and
 * thread-safe; it holds no resource, and still answers after its stream is given back. After its
 * runtime is closed, it still knows what was seen before: closing waits for all work, so a launch
 * counts as done unless that wait failed.
 *
 * <p>A stream tracks its last 32 launches individually. When more than 32 are queued behind this
 * one, it counts as done when the oldest of those 32 is.
 */
public final class Completion {
  private final CompletionWatcher watcher;
  private final Timeline timeline;
  private final long ticket;
  private final String purpose;

  Completion(CompletionWatcher watcher, Timeline timeline, long ticket, String purpose) {
    this.watcher = watcher;
    this.timeline = timeline;
    this.ticket = ticket;
    this.purpose = purpose;
  }

  /**
   * Whether the launch is done. Does not wait; asks the driver unless the answer is already known.
   *
   * @throws CudaDriverException if the device is lost, and the launch was not known to be done
   * @throws RuntimeClosedException if the runtime is closed, and the launch was not seen done
   *     before
   */
  public boolean isDone() {
    return timeline.isDone(ticket);
  }

  /**
   * Waits until the launch is done, and with it everything queued on its stream before. An
   * interrupt does not end the wait; the thread stays interrupted.
   *
   * @throws StreamMisuseException if called inside the launch itself, where it would deadlock
   * @throws RuntimeClosedException if the runtime is closed, and the launch was not seen done
   *     before
   * @throws CudaDriverException if the device is lost, and the launch was not known to be done
   */
  public void await() {
    timeline.awaitDone(ticket, "waiting for " + purpose);
  }

  /**
   * Waits like {@link #await()}, but no longer than a timeout.
   *
   * @param timeout at least 0
   * @return whether the launch is done
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public boolean await(Duration timeout) throws InterruptedException {
    return timeline.awaitDone(ticket, "waiting for " + purpose, Deadline.after(timeout));
  }

  /**
   * Completes when the launch is done, or exceptionally with what {@link #isDone} throws: a {@link
   * CudaDriverException} if the device is lost, a {@link RuntimeClosedException} if the runtime is
   * closed before the launch was seen done. A thread of the runtime polls the device, so the stage
   * completes up to a millisecond late. Continuations without an executor run in that thread and
   * must not block.
   */
  public CompletionStage<Void> stage() {
    return watcher.watch(this);
  }

  Timeline timeline() {
    return timeline;
  }

  long ticket() {
    return ticket;
  }

  @Override
  public String toString() {
    return "completion of " + purpose;
  }
}

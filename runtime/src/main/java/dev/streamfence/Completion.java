package dev.streamfence;

import dev.streamfence.stream.Deadline;
import dev.streamfence.stream.Timeline;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * When a launch is done: to be asked, waited for, or continued after. Immutable and thread-safe; it
 * holds no resource, and can be asked when its stream is given back. When its runtime is closed, it
 * still knows what was seen before: closing waits for all work, so that a launch counts as done
 * unless that failed.
 *
 * <p>A stream tells its last 32 launches apart. When more than that are queued behind this one, it
 * counts as done with the first of those 32.
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
   * Whether the launch is done. Does not wait; asks the driver unless it is known already.
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
   * @throws StreamMisuseException inside of the launch itself, where the wait would never end
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
   * Completes when the launch is done, or with what {@link #isDone} throws: a {@link
   * CudaDriverException} when the device is lost, a {@link RuntimeClosedException} when the runtime
   * is closed without the launch being seen done. A thread of the runtime asks the device every now
   * and then, so that this comes up to a millisecond late; what is continued without an executor
   * runs in that thread and must not block.
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

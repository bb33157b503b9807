package dev.streamfence.internal.completion;

import dev.streamfence.Completion;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Timeline;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The implementation of {@link Completion}. */
public final class TrackedCompletion implements Completion {
  private final CompletionWatcher watcher;
  private final Timeline timeline;
  private final long ticket;
  private final String purpose;

  public TrackedCompletion(
      CompletionWatcher watcher, Timeline timeline, long ticket, String purpose) {
    this.watcher = watcher;
    this.timeline = timeline;
    this.ticket = ticket;
    this.purpose = purpose;
  }

  @Override
  public boolean isDone() {
    return timeline.isDone(ticket);
  }

  @Override
  public void await() {
    timeline.awaitDone(ticket, "waiting for " + purpose);
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return timeline.awaitDone(ticket, "waiting for " + purpose, Deadline.after(timeout));
  }

  @Override
  public CompletionStage<Void> stage() {
    return watcher.watch(this);
  }

  /** Whether it is known to be done, without asking the driver. */
  boolean isKnownDone() {
    return ticket <= timeline.completed();
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

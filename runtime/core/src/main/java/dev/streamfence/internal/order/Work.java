package dev.streamfence.internal.order;

import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One piece of work on a stream: a copy, fill, allocation, free or call of other code. {@link
 * Timeline#submit} carries it out. A launch runs the same steps, one by one, as its caller says.
 * Immutable.
 *
 * @param labels name it in errors, and are remembered for a while; so they must not keep data alive
 * @param uses adds the allocations that it uses, and what else it comes after
 * @param calls queues it, when the stream waits for all that, and returns what the caller wants
 * @param coverage when an event covers it
 */
public record Work<T>(
    UseLabels labels, Consumer<Submission> uses, Function<Submission, T> calls, Coverage coverage) {

  /** When an event covers work that was queued, so that a wait for it covers little or no more. */
  public enum Coverage {
    /** At the commit if other streams are in use and may ask for it, and else on demand. */
    AT_COMMIT,
    /** At the commit, unless the driver refuses the event. */
    IF_POSSIBLE,
    /** At the commit, since the caller asks the driver for its end. */
    ALWAYS,
    /** When the first stream waits for it; the stream does not count as in use because of it. */
    ON_DEMAND,
    /** Like {@link #ON_DEMAND}, but at the commit unless the driver refuses the event. */
    ON_DEMAND_OR_EARLIER
  }

  /** Work that is covered {@link Coverage#AT_COMMIT}, and of which the caller wants the ticket. */
  public static Work<Long> of(
      UseLabels labels, Consumer<Submission> uses, Consumer<Submission> calls) {
    return of(labels, uses, calls, Coverage.AT_COMMIT);
  }

  /** Work of which the caller wants the ticket. */
  public static Work<Long> of(
      UseLabels labels, Consumer<Submission> uses, Consumer<Submission> calls, Coverage coverage) {
    return new Work<>(
        labels,
        uses,
        submission -> {
          calls.accept(submission);
          return submission.ticket();
        },
        coverage);
  }
}

package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.StreamMark;

/**
 * A ticket of a stream. What a memory resource gets is submitted: since no thread has to submit it
 * any more, waiting for it needs no other thread. Those of the caching pool may be submitted later.
 * Immutable.
 */
public record TicketMark(Timeline timeline, long ticket) implements StreamMark {
  @Override
  public boolean isReached() {
    return timeline.isDone(ticket);
  }

  @Override
  public void await() {
    timeline.awaitDone(ticket, "waiting for memory");
  }

  /** Whether work that is queued on a stream now comes after it without a wait. */
  boolean isReachedOn(Timeline other) {
    return timeline == other || timeline.completed() >= ticket;
  }

  /** Whether another stream may wait for it: no thread has yet to submit it. */
  boolean isSubmitted() {
    return timeline.submitted() >= ticket;
  }
}

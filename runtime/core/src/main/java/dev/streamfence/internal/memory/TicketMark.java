package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.StreamMark;

/**
 * A submitted ticket. Since no thread has to submit it any more, waiting for it needs no other
 * thread. Immutable.
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
}

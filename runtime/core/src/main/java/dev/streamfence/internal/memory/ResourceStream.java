package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.memory.StreamMark;
import org.jspecify.annotations.Nullable;

/** The stream of one call of a memory resource, which its close ends. Confined to that call. */
public final class ResourceStream implements MemoryStream, AutoCloseable {
  private final Timeline timeline;

  /** Being queued by this thread; null if the resource is called outside of one. */
  private final @Nullable Submission submission;

  private final Thread thread = Thread.currentThread();
  private boolean ended;

  private ResourceStream(Timeline timeline, @Nullable Submission submission) {
    this.timeline = timeline;
    this.submission = submission;
  }

  /** The stream of a call inside a submission that is being queued. */
  static ResourceStream of(Submission submission) {
    return new ResourceStream(submission.timeline(), submission);
  }

  /** The stream of a call that holds none. */
  static ResourceStream unheld(Timeline timeline) {
    return new ResourceStream(timeline, null);
  }

  /** Whether this thread holds the stream, with work that the device may not have done. */
  boolean isHeld() {
    return submission != null;
  }

  @Override
  public long handle() {
    return timeline.pool().driver().rawHandle(queue());
  }

  StreamHandle queue() {
    requireValid();
    return timeline.stream();
  }

  /** Its timeline. */
  Timeline timeline() {
    requireValid();
    return timeline;
  }

  /**
   * What is queued so far and by the end of this call's submission. Unlike a {@linkplain #mark
   * mark}, it may not be submitted yet.
   */
  TicketMark point() {
    return new TicketMark(
        timeline, submission == null ? timeline.completed() : submission.ticket());
  }

  @Override
  public StreamMark mark() {
    requireValid();
    // Outside of a submission the device is done with the memory that the call is about.
    return new TicketMark(
        timeline, submission == null ? timeline.completed() : submission.submitSoFar());
  }

  @Override
  public void waitFor(StreamMark mark) {
    requireValid();
    TicketMark ticket = (TicketMark) requireNonNull(mark, "mark");
    if (ticket.timeline().pool() != timeline.pool()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "a memory resource makes " + timeline + " wait for a mark of another runtime");
    }
    if (submission != null) {
      submission.waitNow(ticket.timeline(), ticket.ticket());
    } else if (ticket.timeline() != timeline) {
      ticket.await();
    }
  }

  @Override
  public void close() {
    ended = true;
  }

  /** Refuses a stream of another runtime. */
  void requireOf(StreamPool streams, String what) {
    requireValid();
    if (timeline.pool() != streams) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "a memory resource asks " + what + " on " + timeline + " of another runtime");
    }
  }

  private void requireValid() {
    if (ended || thread != Thread.currentThread()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OUT_OF_SCOPE,
          "a memory resource uses "
              + timeline
              + " after the call that it is valid for, or in another thread");
    }
  }
}

package dev.streamfence.internal.order;

/**
 * Other code that uses an allocation on a stream of its own, from the export of the allocation
 * until it gives it back. Meanwhile its uses are unknown, so a use that conflicts with them waits
 * for everything on that stream. Thread-safe: {@code endTicket} is written once.
 */
public final class ForeignConsumer {
  private final Timeline timeline;
  private final boolean writes;

  /** The ticket after its last use; 0 until it gives the memory back. */
  private volatile long endTicket;

  /**
   * Creates a consumer.
   *
   * @param timeline its stream, adopted
   * @param writes whether it may write the memory
   */
  public ForeignConsumer(Timeline timeline, boolean writes) {
    this.timeline = timeline;
    this.writes = writes;
  }

  /** The stream that it uses the memory on. */
  public Timeline timeline() {
    return timeline;
  }

  /**
   * Says that it has given the memory back.
   *
   * @param ticket a ticket of its stream that comes after its last use
   */
  public void end(long ticket) {
    endTicket = ticket;
  }

  boolean hasEnded() {
    return endTicket > 0;
  }

  /** Whether no use has to wait for it, now or later. */
  boolean needsNoWait() {
    return hasEnded() && timeline.needsNoWait(endTicket);
  }

  /** Whether whatever waits for this one has to wait for work after it as well. */
  boolean isCoveredBy(ForeignConsumer later) {
    return hasEnded()
        && later.timeline == timeline
        && later.endTicket > endTicket
        && (later.writes || !writes);
  }

  long endTicket() {
    return endTicket;
  }

  boolean writes() {
    return writes;
  }

  boolean conflictsWith(boolean writing) {
    return writes || writing;
  }
}

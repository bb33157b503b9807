package dev.streamfence.internal.order;

import dev.streamfence.trace.TracedDependency.Satisfied;
import java.util.ArrayList;
import java.util.List;

/**
 * What an observer learns of one piece of work: the memory that it uses, and the work that it comes
 * after. Confined to the thread that submits it until {@link #ended}.
 */
public abstract class ObservedWork {
  /**
   * The use of one allocation. Immutable.
   *
   * @param parameter the kernel's parameter; empty if the work is no launch
   * @param tag the name that its user has given the memory; may be empty
   * @param memory the allocation, in words
   */
  public record Use(String parameter, String tag, String memory, boolean reads, boolean writes) {}

  /**
   * One piece of earlier work. Immutable.
   *
   * @param use the position of the use that is the reason; -1 if there is none
   * @param timeline the earlier work's stream
   * @param ticket its ticket; 0 for everything that other code has put on the stream
   * @param earlierWrites whether it writes the memory
   * @param isDone whether the host had seen its end
   */
  private record Earlier(
      int use, Timeline timeline, long ticket, boolean earlierWrites, boolean isDone) {}

  /** A wait that was queued. Immutable. */
  private record Wait(Timeline timeline, long ticket) {}

  /** Receives each piece of earlier work. */
  public interface DependencyVisitor {
    /**
     * One piece of earlier work.
     *
     * @param use the position of the use that is the reason; -1 if there is none
     */
    void earlier(
        int use, Timeline timeline, long ticket, boolean earlierWrites, Satisfied satisfied);
  }

  private final Timeline timeline;
  private final List<Use> uses = new ArrayList<>(4);
  private final List<Earlier> earlier = new ArrayList<>(4);
  private final List<Wait> waits = new ArrayList<>(1);

  /** What turned out to be done when the wait for it was about to be queued. */
  private final List<Wait> done = new ArrayList<>(0);

  /** Begins with a piece of work of which nothing is known yet. */
  protected ObservedWork(Timeline timeline) {
    this.timeline = timeline;
  }

  /** The stream that the work is put on. */
  public final Timeline timeline() {
    return timeline;
  }

  /** The uses so far. */
  public final List<Use> uses() {
    return uses;
  }

  final void use(Use use) {
    uses.add(use);
  }

  /** Notes earlier work that the last use has to come after. */
  final void after(Timeline other, long ticket, boolean earlierWrites) {
    earlier.add(
        new Earlier(uses.size() - 1, other, ticket, earlierWrites, other.needsNoWait(ticket)));
  }

  /** Notes earlier work that the work has to come after for another reason than its uses. */
  final void afterWork(Timeline other, long ticket) {
    earlier.add(new Earlier(-1, other, ticket, true, other.needsNoWait(ticket)));
  }

  /** Notes that the stream was made to wait for another one. */
  final void waited(Timeline other, long ticket) {
    try {
      waits.add(new Wait(other, ticket));
    } catch (OutOfMemoryError e) {
      // The driver has queued the wait, which its submission must count.
    }
  }

  /** Notes that no wait was queued, and whether because the host has seen the end. */
  final void notWaited(Timeline other, long ticket) {
    if (other.needsNoWait(ticket)) {
      done.add(new Wait(other, ticket));
    }
  }

  /** Visits the earlier work, and says what it took to come after it. */
  public final void dependencies(DependencyVisitor visitor) {
    for (Earlier each : earlier) {
      visitor.earlier(
          each.use(), each.timeline(), each.ticket(), each.earlierWrites(), satisfied(each));
    }
  }

  private Satisfied satisfied(Earlier each) {
    if (each.timeline() == timeline) {
      return Satisfied.BY_STREAM_ORDER;
    }
    if (covers(waits, each)) {
      return Satisfied.BY_WAIT;
    }
    return each.isDone() || covers(done, each) ? Satisfied.ALREADY_DONE : Satisfied.BY_EARLIER_WAIT;
  }

  private static boolean covers(List<Wait> waits, Earlier each) {
    return waits.stream()
        .anyMatch(wait -> wait.timeline() == each.timeline() && wait.ticket() >= each.ticket());
  }

  /** The work is put on the stream next: whatever it waits for is queued. */
  public abstract void queuing(WorkFacts facts);

  /** The work is on the stream. */
  public abstract void queued();

  /** The submission is over before anything was registered. */
  public abstract void dropped();

  /**
   * The submission is over.
   *
   * @param firstTicket the first of its tickets
   * @param ticket the last one
   */
  public abstract void ended(long firstTicket, long ticket);
}

package dev.streamfence.trace;

/**
 * Why one piece of work comes after another one. Immutable.
 *
 * @param array the array that both use, as in {@link TracedUse#name}; empty if the order has
 *     another reason, such as a memory resource that asked for it
 * @param earlierWrites whether the earlier work writes the array
 * @param laterWrites whether the later work writes it
 * @param stream the number of the stream of the earlier work
 * @param ticket the ticket of the earlier work; 0 for everything that other code has put on the
 *     stream
 * @param work the name of the earlier work; empty if the trace does not contain it
 * @param kind the kind of the earlier work; {@link WorkKind#OTHER} if the trace does not contain it
 * @param satisfied what the order took
 */
public record TracedDependency(
    String array,
    boolean earlierWrites,
    boolean laterWrites,
    int stream,
    long ticket,
    String work,
    WorkKind kind,
    Satisfied satisfied) {

  /** What it takes to bring one piece of work after another. */
  public enum Satisfied {
    /** The stream was made to wait for an event of the other stream. */
    BY_WAIT,
    /** Both are on one stream, which keeps their order. */
    BY_STREAM_ORDER,
    /** The stream had waited for that, or for something after it, before. */
    BY_EARLIER_WAIT,
    /** The host had seen the end of the earlier work. */
    ALREADY_DONE
  }

  /** The same with the name and the kind of the earlier work. */
  public TracedDependency on(TracedWork earlier) {
    return new TracedDependency(
        array,
        earlierWrites,
        laterWrites,
        stream,
        ticket,
        earlier.name(),
        earlier.kind(),
        satisfied);
  }

  /**
   * The reason in words, such as {@code slots: written by build, read by probe}.
   *
   * @param later the later work, which has this dependency
   */
  public String because(TracedWork later) {
    if (array.isEmpty() && kind == WorkKind.GRAPH && later.kind() == WorkKind.GRAPH) {
      return work + " runs once at a time";
    }
    String earlier = work.isEmpty() ? "stream " + stream + " #" + ticket : work;
    return (array.isEmpty() ? "" : array + ": ")
        + act(kind, earlierWrites, earlier)
        + ", "
        + act(later.kind(), laterWrites, later.name());
  }

  private static String act(WorkKind kind, boolean writes, String work) {
    return switch (kind) {
      case ALLOCATION -> "allocated";
      case FREE -> "freed";
      default -> (writes ? "written by " : "read by ") + work;
    };
  }
}

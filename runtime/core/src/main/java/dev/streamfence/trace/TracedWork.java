package dev.streamfence.trace;

import dev.streamfence.graph.GraphStructure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work that a runtime has put on a stream. Immutable.
 *
 * @param device the runtime, with the device's name and number
 * @param kind what it is
 * @param name the method that declares the kernel (the entry point if a recorder was made without
 *     one), the name of a call, or the kind in words
 * @param detail the grid and the block of a launch and its entry point if that has another name, or
 *     what kind of host memory a copy uses; may be empty
 * @param bytes how many bytes it copies, fills, allocates or frees; 0 for a launch
 * @param stream the number of its stream
 * @param streamName its stream in words: those of other code and those that the runtime keeps for
 *     long transfers have names of their own
 * @param firstTicket the first of its tickets; the same as {@code ticket} but for work in parts
 * @param ticket its place among the work of its stream, from 1
 * @param thread the name of the Java thread that submitted it
 * @param submission when the thread submitted it: from the moment it has the stream for itself to
 *     the end of its last driver call
 * @param execution when the device carried it out; null if that was not measured, or if the work
 *     was not done when the trace was read
 * @param uses the memory that it uses, in rising order of allocation
 * @param dependencies the work that it comes after because of what both use
 * @param isQueued whether it reached the device; false if a driver call failed before or it was
 *     abandoned after preflight
 * @param graph the graph that runs, the same object for each of its launches; null for other work,
 *     or if a recording does not contain it
 */
public record TracedWork(
    String device,
    WorkKind kind,
    String name,
    String detail,
    long bytes,
    int stream,
    String streamName,
    long firstTicket,
    long ticket,
    String thread,
    TraceSpan submission,
    @Nullable TraceSpan execution,
    List<TracedUse> uses,
    List<TracedDependency> dependencies,
    boolean isQueued,
    @Nullable GraphStructure graph) {

  /** The lists are copied. */
  public TracedWork {
    uses = List.copyOf(uses);
    dependencies = List.copyOf(dependencies);
  }

  /**
   * The same with what became known later.
   *
   * @param newDependencies with the names of the earlier work
   * @param newExecution when the device carried it out; null if that is not known
   */
  public TracedWork completed(
      List<TracedDependency> newDependencies, @Nullable TraceSpan newExecution) {
    return new TracedWork(
        device,
        kind,
        name,
        detail,
        bytes,
        stream,
        streamName,
        firstTicket,
        ticket,
        thread,
        submission,
        newExecution,
        uses,
        newDependencies,
        isQueued,
        graph);
  }

  /** When the device carried it out or, where that is not known, when it was submitted. */
  public TraceSpan span() {
    return execution != null ? execution : submission;
  }

  /** Whether its stream was made to wait for another stream because of it. */
  public boolean hasWaited() {
    return dependencies.stream()
        .anyMatch(each -> each.satisfied() == TracedDependency.Satisfied.BY_WAIT);
  }

  @Override
  public String toString() {
    return name + " on " + streamName + " (ticket " + ticket + ")";
  }
}

package dev.streamfence.assertj;

import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** Assertions on a trace. Not thread-safe. */
public final class TraceAssert extends AbstractAssert<TraceAssert, Trace> {
  TraceAssert(Trace trace) {
    super(trace, TraceAssert.class);
  }

  /**
   * Goes on with the one launch of a kernel.
   *
   * @param kernel the method that declares it; the entry point if a recorder was made without one
   * @throws AssertionError if the trace has none, or more than one
   */
  public WorkAssert launch(String kernel) {
    List<TracedWork> launches = launches(kernel);
    if (launches.size() != 1) {
      throw failure(
          "Expecting one launch of %s, but the trace has %d: %s", kernel, launches.size(), names());
    }
    return new WorkAssert(launches.get(0));
  }

  /**
   * Goes on with one of the launches of a kernel.
   *
   * @param number which one in the order of submission, from 1
   * @throws AssertionError if the trace has fewer
   */
  public WorkAssert launch(String kernel, int number) {
    List<TracedWork> launches = launches(kernel);
    if (number < 1 || number > launches.size()) {
      throw failure(
          "Expecting a launch number %d of %s, but the trace has %d: %s",
          number, kernel, launches.size(), names());
    }
    return new WorkAssert(launches.get(number - 1));
  }

  /** Fails unless the trace has that many launches of a kernel. */
  public TraceAssert hasLaunches(String kernel, int count) {
    List<TracedWork> launches = launches(kernel);
    if (launches.size() != count) {
      throw failure(
          "Expecting %d launches of %s, but the trace has %d: %s",
          count, kernel, launches.size(), names());
    }
    return this;
  }

  /** Fails if a stream was made to wait for another one. */
  public TraceAssert hasNoWaits() {
    for (TracedWork work : actual.works()) {
      new WorkAssert(work).as(descriptionText()).waitedForNothing();
    }
    return this;
  }

  private List<TracedWork> launches(String kernel) {
    isNotNull();
    return actual.works().stream()
        .filter(work -> work.kind() == WorkKind.LAUNCH && work.name().equals(kernel))
        .toList();
  }

  private String names() {
    long forgotten = actual.forgotten();
    return actual.works().stream().map(TracedWork::toString).collect(Collectors.joining(", "))
        + (forgotten > 0 ? "; it has forgotten " + forgotten + " earlier pieces of work" : "");
  }
}

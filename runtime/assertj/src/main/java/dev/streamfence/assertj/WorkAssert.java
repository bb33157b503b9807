package dev.streamfence.assertj;

import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/** Assertions on one piece of work. Not thread-safe. */
public final class WorkAssert extends AbstractAssert<WorkAssert, TracedWork> {
  WorkAssert(TracedWork work) {
    super(work, WorkAssert.class);
  }

  /**
   * Fails unless the stream of the work was made to wait for earlier work on another stream.
   *
   * @param earlier the name of the earlier work: a kernel, a call, or a kind such as {@code upload}
   */
  public DependencyAssert waitedFor(String earlier) {
    return require(
        "to wait for " + earlier,
        each -> each.satisfied() == Satisfied.BY_WAIT && each.work().equals(earlier));
  }

  /**
   * Fails unless the work comes after earlier work because of an array that both use, whether or
   * not that took a wait.
   */
  public DependencyAssert cameAfter(String earlier) {
    return require("to come after " + earlier, each -> each.work().equals(earlier));
  }

  /**
   * Fails if the work comes after earlier work of that name, or after work that the trace does not
   * contain any more.
   */
  public WorkAssert isIndependentOf(String earlier) {
    if (actual.dependencies().stream().anyMatch(WorkAssert::isForgotten)) {
      throw failure(
          "Expecting %s to be independent of %s, but the trace does not contain all that it comes"
              + " after: %s",
          actual, earlier, reasons());
    }
    if (actual.dependencies().stream().anyMatch(each -> each.work().equals(earlier))) {
      throw failure("Expecting %s to be independent of %s, but %s", actual, earlier, reasons());
    }
    return this;
  }

  private static boolean isForgotten(TracedDependency dependency) {
    return dependency.work().isEmpty() && dependency.ticket() > 0;
  }

  /** Fails if the stream of the work was made to wait for another one because of it. */
  public WorkAssert waitedForNothing() {
    if (actual.hasWaited()) {
      throw failure("Expecting %s to wait for nothing, but %s", actual, reasons());
    }
    return this;
  }

  /** Fails unless the work is on the stream with that number. */
  public WorkAssert isOnStream(int stream) {
    if (actual.stream() != stream) {
      throw failure("Expecting %s to be on stream %d", actual, stream);
    }
    return this;
  }

  /** Fails unless the work reads an array: a parameter, or a tag. */
  public WorkAssert reads(String array) {
    return requireUse("to read " + array, array, use -> use.access().reads());
  }

  /** Fails unless the work writes an array: a parameter, or a tag. */
  public WorkAssert writes(String array) {
    return requireUse("to write " + array, array, use -> use.access().writes());
  }

  private WorkAssert requireUse(String what, String array, Predicate<TracedUse> access) {
    boolean isUsed =
        actual.uses().stream()
            .filter(use -> use.parameter().equals(array) || use.tag().equals(array))
            .anyMatch(access);
    if (!isUsed) {
      throw failure(
          "Expecting %s %s, but it %s",
          actual,
          what,
          actual.uses().isEmpty()
              ? "uses no array"
              : actual.uses().stream().map(TracedUse::toString).collect(Collectors.joining(", ")));
    }
    return this;
  }

  private DependencyAssert require(String what, Predicate<TracedDependency> condition) {
    List<TracedDependency> found = actual.dependencies().stream().filter(condition).toList();
    if (found.isEmpty()) {
      throw failure("Expecting %s %s, but %s", actual, what, reasons());
    }
    return new DependencyAssert(actual, found);
  }

  private String reasons() {
    return actual.dependencies().isEmpty()
        ? "it comes after nothing"
        : "it comes after: "
            + actual.dependencies().stream()
                .map(each -> each.because(actual) + " (" + each.satisfied() + ")")
                .collect(Collectors.joining("; "));
  }
}

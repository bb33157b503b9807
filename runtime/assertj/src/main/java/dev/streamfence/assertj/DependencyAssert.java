package dev.streamfence.assertj;

import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedWork;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/** Assertions on why one piece of work comes after another one. Not thread-safe. */
public final class DependencyAssert
    extends AbstractAssert<DependencyAssert, List<TracedDependency>> {
  private final TracedWork later;

  DependencyAssert(TracedWork later, List<TracedDependency> found) {
    super(found, DependencyAssert.class);
    this.later = later;
  }

  /**
   * Fails unless that is one of the reasons.
   *
   * @param reason as in {@code slots: written by build, read by probe}
   */
  public DependencyAssert because(String reason) {
    List<String> reasons = actual.stream().map(each -> each.because(later)).toList();
    if (!reasons.contains(reason)) {
      throw failure("Expecting the reason \"%s\" for %s, but it is %s", reason, later, reasons);
    }
    return this;
  }
}

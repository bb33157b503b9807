package dev.streamfence.model;

import static dev.streamfence.model.ControlledScheduler.require;

import dev.streamfence.CudaDriverException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.order.Closing;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.model.ClockDriver.Cell;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * The parts of the package order that a runtime has, over {@link ClockDriver}, new in every run.
 */
final class Scene implements UseLabels {
  final ClockDriver driver = ClockDriver.create();
  final StickyError faults;
  final StreamPool pool;
  final Timeline first;
  final Timeline second;
  private long generations;

  Scene() {
    this(UnaryOperator.identity());
  }

  /** A scene whose driver is called through something else. */
  Scene(UnaryOperator<CudaDriver> through) {
    faults = driver.sticky();
    pool = new StreamPool(through.apply(driver), 3);
    first = pool.acquire(0);
    second = pool.acquire(0);
  }

  /** An allocation that is the first work of a stream, not known to be done. */
  final class Allocation {
    final Cell cell = driver.new Cell();
    final AtomicInteger frees = new AtomicInteger();
    final HazardState hazards;

    Allocation(Timeline timeline) {
      try (Submission submission = timeline.begin(Scene.this)) {
        submission.preflight();
        cell.use(timeline.stream(), true);
        hazards =
            new HazardState(
                ++generations, "an allocation", timeline, submission.ticket(), this::free);
        submission.commitWithoutEvent();
      }
    }

    void close() {
      if (hazards.close(null) == Closing.NOW) {
        free();
      }
    }

    void free() {
      Timeline timeline = hazards.lastUser();
      try (Submission submission = timeline.begin(Scene.this)) {
        submission.free(hazards);
        submission.preflight();
        cell.free(timeline.stream());
        frees.incrementAndGet();
        submission.commitWithoutEvent();
      }
    }
  }

  void run(Timeline timeline, Allocation reads, Allocation writes) {
    try (Submission submission = timeline.begin(this)) {
      submission.use(writes.hazards, false, true, 0);
      submission.use(reads.hazards, true, false, 1);
      submission.preflight();
      if (reads != writes) {
        reads.cell.use(timeline.stream(), false);
      }
      writes.cell.use(timeline.stream(), true);
      submission.commit();
    }
  }

  void read(Timeline timeline, Allocation allocation) {
    try (Submission submission = timeline.begin(this)) {
      submission.use(allocation.hazards, true, false, 0);
      submission.preflight();
      allocation.cell.use(timeline.stream(), false);
      submission.commit();
    }
  }

  void runUnlessClosed(Timeline timeline, Allocation reads, Allocation writes) {
    try {
      run(timeline, reads, writes);
    } catch (UseAfterFreeException closed) {
      require(closed.generation() > 0, "an allocation without a number");
    }
  }

  void runUnlessRefused(Timeline timeline, Allocation reads, Allocation writes) {
    try {
      run(timeline, reads, writes);
    } catch (CudaDriverException refused) {
      require(refused.code() == 1, "another error than the planted one");
    }
  }

  @Override
  public String purpose() {
    return "a test";
  }
}

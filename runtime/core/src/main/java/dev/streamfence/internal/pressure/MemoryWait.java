package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.pressure.PressureTask.Signal;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One wait of a task for memory: it tries while it may, until it succeeds, is told to do something
 * else, or its patience ends. Used by the thread of the task.
 */
final class MemoryWait<T> {
  private final WaitingTasks tasks;
  private final PressureTask task;
  private final Demand demand;
  private final Supplier<T> request;
  private final Deadline deadline;

  private @Nullable T result;
  private @Nullable Signal signal;
  private @Nullable OutOfMemoryBudgetException refusal;

  /** Who has the memory; empty until the wait ends without memory. */
  private String explanation = "";

  /**
   * Creates a wait.
   *
   * @param refusal the first one; null if the request was not tried
   */
  MemoryWait(
      WaitingTasks tasks,
      PressureTask task,
      Demand demand,
      Supplier<T> request,
      @Nullable OutOfMemoryBudgetException refusal) {
    this.tasks = tasks;
    this.task = task;
    this.demand = demand;
    this.request = request;
    this.refusal = refusal;
    this.deadline = Deadline.after(task.patience());
  }

  /** Waits; afterwards there is a signal, a result, or a refusal. */
  MemoryWait<T> run() {
    Object event = FlightEvents.beginMemoryWait();
    Waiting waiting = tasks.begin(task, demand, refusal);
    try {
      while (result == null && signal == null && explanation.isEmpty()) {
        step(waiting);
      }
      return this;
    } finally {
      tasks.ended(waiting, result != null, signal);
      FlightEvents.endMemoryWait(event, task.toString(), demand.what(), demand.bytes(), ending());
    }
  }

  /** Tries once if the task may, and pauses if that is refused. */
  private void step(Waiting waiting) {
    boolean isOver = deadline.hasPassed() || Thread.currentThread().isInterrupted();
    long seen = tasks.signals();
    signal = tasks.signal(waiting);
    if (signal != null) {
      if (signal == Signal.RETRY && neverFits()) {
        signal = Signal.SPLIT;
      }
      explanation = tasks.inWords();
      return;
    }
    tasks.requireUsable();
    boolean tries = isOver || tasks.mayTry(waiting);
    if (tries) {
      try {
        result = request.get();
        return;
      } catch (OutOfMemoryBudgetException e) {
        refusal = e;
      }
    }
    if (isAboveLimit(refusal) && !demand.isTurn()) {
      signal = Signal.SPLIT;
      explanation = "its budget is smaller";
    } else if (isOver) {
      explanation =
          (deadline.hasPassed()
                  ? "it waited " + task.patience().toMillis() + " ms; "
                  : "the wait was interrupted; ")
              + tasks.inWords();
    } else {
      tasks.pause(waiting, seen, tries ? refusal : null, deadline);
    }
  }

  /** Whether the request cannot succeed even if all others give way; it may have been held up. */
  private boolean neverFits() {
    if (refusal == null) {
      try {
        demand.resource().check(demand.bytes(), demand.what());
      } catch (OutOfMemoryBudgetException e) {
        refusal = e;
      }
    }
    return refusal != null && task.neverFits(demand, refusal);
  }

  /** Whether a request never fits. */
  static boolean isAboveLimit(@Nullable OutOfMemoryBudgetException refusal) {
    return refusal != null && refusal.requested() > refusal.limit();
  }

  /** What ended it besides memory; null if nothing did. */
  @Nullable Signal signal() {
    return signal;
  }

  /** The latest refusal; null if there was none. */
  @Nullable OutOfMemoryBudgetException refusal() {
    return refusal;
  }

  /** Who has the memory; empty if the wait ended with some. */
  String explanation() {
    return explanation;
  }

  /** The result, or the refusal with an account of the wait. */
  T result() {
    if (result != null) {
      return result;
    }
    if (refusal == null) {
      throw new AssertionError("a wait ended without memory, signal and refusal");
    }
    throw refusal.after(explanation);
  }

  private String ending() {
    if (result != null) {
      return "memory";
    }
    return signal == null ? "refused" : signal.name().toLowerCase(Locale.ROOT);
  }
}

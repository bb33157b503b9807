package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.pressure.PressureTask.Signal;
import dev.streamfence.trace.TracedPressure.Kind;
import dev.streamfence.trace.TracedPressure.Outcome;
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

  /** What ends it unless it gets memory or a signal. */
  private Outcome failure = Outcome.FAILED;

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
    Object begun = tasks.observer().begin(Kind.WAIT);
    Waiting waiting = tasks.begin(task, demand, refusal);
    try {
      while (result == null && signal == null && explanation.isEmpty()) {
        step(waiting);
      }
      return this;
    } catch (RuntimeClosedException e) {
      failure = Outcome.CLOSED;
      throw e;
    } finally {
      tasks.ended(waiting, result != null, signal);
      tasks.observer().end(begun, task.toString(), demand.what(), demand.bytes(), outcome());
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
      failure = deadline.hasPassed() ? Outcome.REFUSED : Outcome.INTERRUPTED;
      explanation =
          (failure == Outcome.REFUSED
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

  private Outcome outcome() {
    if (result != null) {
      return Outcome.MEMORY;
    }
    if (signal == null) {
      return failure;
    }
    return switch (signal) {
      case RETRY -> Outcome.RETRY;
      case SPLIT -> Outcome.SPLIT;
      case GO -> Outcome.TURN;
    };
  }
}

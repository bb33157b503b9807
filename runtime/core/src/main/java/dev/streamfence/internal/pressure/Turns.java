package dev.streamfence.internal.pressure;

import dev.streamfence.internal.memory.Budget;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.pressure.PressureTask.Signal;
import java.util.Collection;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that wait, from first to last: which of them may try, and who gives way when none can
 * go on. Guarded by the lock of {@link WaitingTasks}.
 */
final class Turns {
  /** How long tasks that have memory pass by one that waits. */
  private static final long PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long the first task waits for memory of threads without a task before it asks for less. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  static final Comparator<PressureTask> FIRST_TO_LAST =
      (a, b) -> a == b ? 0 : a.isBefore(b) ? -1 : 1;

  private final BudgetResource whole;
  private final Collection<PressureTask> open;
  private final NavigableMap<PressureTask, Waiting> line = new TreeMap<>(FIRST_TO_LAST);
  private long signals;

  /** How many waits and tasks have ended. Frees do not count: others may make them all the time. */
  private long endings;

  private long stuckAt = -1;
  private long stuckSince;

  /**
   * Creates an empty line.
   *
   * @param whole the budget of the runtime
   * @param open a view of the open tasks
   */
  Turns(BudgetResource whole, Collection<PressureTask> open) {
    this.whole = whole;
    this.open = open;
  }

  void add(Waiting waiting) {
    line.put(waiting.task(), waiting);
  }

  void remove(Waiting waiting) {
    line.remove(waiting.task());
  }

  int size() {
    return line.size();
  }

  /** How many signals there were: a task that has tried since the last one need not try again. */
  long signals() {
    return signals;
  }

  /** A wait or a task has ended, so that others may go on. */
  void ended() {
    endings++;
    wake();
  }

  /** Wakes those that may try. The others sleep on: with many tasks, those are nearly all. */
  void wake() {
    signals++;
    for (Waiting each : line.values()) {
      if (mayTry(each)) {
        each.wake();
      }
      if (each.wantsMemoryOfAll(whole.account()) && each.nanos() >= PASSING_NANOS) {
        return;
      }
    }
  }

  boolean mayTry(Waiting waiting) {
    return mayTry(waiting.task(), waiting.demand(), waiting.hasMemory());
  }

  /** Whether no task before it waits for memory that it could have. */
  boolean mayTry(PressureTask task, Demand demand, boolean hasMemory) {
    for (Waiting other : line.headMap(task).values()) {
      if (other.wantsMemoryOf(demand) && !(hasMemory && other.nanos() < PASSING_NANOS)) {
        return false;
      }
    }
    return true;
  }

  /** Whether all tasks wait, and those that may try have tried since the last signal. */
  boolean isStuck() {
    open.removeIf(task -> !task.thread().isAlive());
    for (PressureTask task : open) {
      Waiting waiting = line.get(task);
      if (waiting == null
          || waiting.signal() != null
          || (!waiting.hasTried(signals) && mayTry(waiting))) {
        return false;
      }
    }
    return true;
  }

  /** Tells one that it gives way. All tasks wait. */
  void giveWay() {
    Waiting first = line.firstEntry().getValue();
    for (Waiting last : line.descendingMap().values()) {
      if (last != first && Waiting.hasMemory(last.task(), last.demand())) {
        last.tell(Signal.RETRY);
        return;
      }
    }
    if (first.demand().isTurn()) {
      first.tell(Signal.GO);
    } else if (!othersMayReturnMemory()) {
      first.tell(Signal.SPLIT);
    }
  }

  /** Whether threads without a task have memory, for a moment. */
  private boolean othersMayReturnMemory() {
    if (outside() == 0) {
      return false;
    }
    long now = System.nanoTime();
    if (stuckAt != endings) {
      stuckAt = endings;
      stuckSince = now;
    }
    return now - stuckSince < GRACE_NANOS;
  }

  /**
   * Bytes that no open task has. Those that a task has freed count as well until they are returned,
   * which needs no other task.
   */
  private long outside() {
    long held = open.stream().mapToLong(PressureTask::heldBytes).sum();
    Budget budget = whole.snapshot();
    return Math.max(0, budget.live() + budget.pending() + budget.promised() - held);
  }

  /** Who has how much memory, and waits for how much. */
  String inWords() {
    StringBuilder words = new StringBuilder();
    open.stream()
        .sorted(FIRST_TO_LAST)
        .forEach(
            task -> {
              @Nullable Waiting waiting = line.get(task);
              words.append(task).append(" has ").append(task.heldBytes()).append(" bytes and ");
              words.append(waiting == null ? "runs" : waiting).append(", ");
            });
    return words + "other arrays and reservations have " + outside() + " bytes";
  }
}

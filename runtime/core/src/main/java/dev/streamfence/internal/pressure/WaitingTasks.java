// Long because who waits, who may try and who gives way are decided together, under one lock.
package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RetryAllocationException;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.internal.memory.Budget;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.pressure.PressureTask.Signal;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.SpillStatistics;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open tasks of a runtime, and those that wait for memory. Thread-safe: {@code this} guards
 * what tasks wait for, and is not held while memory is requested.
 *
 * <p>A waiting task tries again at each {@link #signal}, and after a while without one. When every
 * task waits and has tried since the last signal, none can go on. Then the last one that has memory
 * gives way, unless it is also the first; if there is none, the first one begins again or asks for
 * less. So the first one always gets on, and each task becomes the first one in time.
 */
public final class WaitingTasks {
  /** How long tasks that have memory pass by one that waits. */
  private static final long PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long the first task waits for memory of threads without a task before it asks for less. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final Comparator<PressureTask> FIRST_TO_LAST =
      (a, b) -> a == b ? 0 : a.isBefore(b) ? -1 : 1;

  private final BudgetResource whole;
  private final Runnable requireUsable;
  private final LongSupplier idleBytes;
  private final Map<Thread, PressureTask> tasks = new ConcurrentHashMap<>();
  private volatile int waiting;

  // Guarded by this.
  private long opened;
  private long signals;

  /** How many waits and tasks have ended. Frees do not count: others may make them all the time. */
  private long endings;

  private long stuckAt = -1;
  private long stuckSince;
  private long waits;
  private long waitedNanos;
  private long retries;
  private long splits;
  private long refusals;

  /**
   * Creates an empty one.
   *
   * @param whole the budget of the runtime
   * @param requireUsable throws if the runtime is closed or its device lost
   * @param idleBytes bytes of arrays that can leave the device
   */
  public WaitingTasks(BudgetResource whole, Runnable requireUsable, LongSupplier idleBytes) {
    this.whole = whole;
    this.idleBytes = idleBytes;
    this.requireUsable = requireUsable;
    whole.whenReturned(this::signal);
  }

  /** Opens a task of the calling thread, or nests the one that it has open. */
  public MemoryTask open(int priority, Duration patience) {
    Deadline.after(patience);
    PressureTask existing = current();
    if (existing != null) {
      return existing.nest();
    }
    PressureTask task;
    synchronized (this) {
      task = new PressureTask(this, ++opened, priority, patience);
    }
    tasks.put(task.thread(), task);
    return task;
  }

  /** The task of the calling thread; null if it has none. */
  public @Nullable PressureTask current() {
    return tasks.isEmpty() ? null : tasks.get(Thread.currentThread());
  }

  synchronized void end(PressureTask task) {
    tasks.remove(task.thread(), task);
    endings++;
    signal();
  }

  /** Memory has become free. Costs next to nothing if no task waits. */
  public void signal() {
    if (waiting > 0) {
      wake();
    }
  }

  private synchronized void wake() {
    signals++;
    notifyAll();
  }

  /**
   * Makes a request for memory, and waits until it succeeds.
   *
   * @param request called without a lock
   * @throws RetryAllocationException if the task has to give way
   * @throws SplitAndRetryException if it has to ask for less
   * @throws OutOfMemoryBudgetException if its patience ends, or the thread is interrupted
   */
  public <T> T await(PressureTask task, Demand demand, Supplier<T> request) {
    @Nullable OutOfMemoryBudgetException refusal = null;
    if (waiting == 0 || mayTry(task, demand)) {
      try {
        return request.get();
      } catch (OutOfMemoryBudgetException e) {
        refusal = e;
      }
    }
    if (refusal != null && MemoryWait.isAboveLimit(refusal)) {
      synchronized (this) {
        splits++;
      }
      throw split(task, demand, refusal, "its budget is smaller");
    }
    MemoryWait<T> wait = new MemoryWait<>(this, task, demand, request, refusal).run();
    refusal = wait.refusal();
    if (wait.signal() == Signal.RETRY) {
      task.giveWay(demand);
      throw new RetryAllocationException(
          task + " gives way, since no task can go on; it waited " + demand, refusal);
    }
    if (wait.signal() == Signal.SPLIT && refusal != null) {
      throw split(task, demand, refusal, wait.account());
    }
    return wait.result();
  }

  private static SplitAndRetryException split(
      PressureTask task, Demand demand, OutOfMemoryBudgetException refusal, String account) {
    return new SplitAndRetryException(
        task + " has to ask for less than " + demand.bytes() + " bytes; " + account, refusal);
  }

  /** Waits until the memory is free that a task needs to begin again, or no task can go on. */
  void awaitTurn(PressureTask task, Demand needed) {
    long bytes = Math.max(0, needed.bytes() - task.heldBytes());
    Demand missing = new Demand(needed.what(), bytes, needed.resource(), true);
    Supplier<Boolean> fits =
        () -> {
          needed.resource().check(Math.max(0, bytes - idleBytes.getAsLong()));
          return true;
        };
    MemoryWait<Boolean> wait = new MemoryWait<>(this, task, missing, fits, null).run();
    if (wait.signal() == null) {
      wait.result();
    }
  }

  void requireUsable() {
    requireUsable.run();
  }

  /** How many signals there were: a task that has tried since the last one need not try again. */
  synchronized long signals() {
    return signals;
  }

  /** What a waiting task is told to do; null if nothing. */
  synchronized @Nullable Signal signal(PressureTask task) {
    return task.signal;
  }

  synchronized void begin(
      PressureTask task, Demand demand, @Nullable OutOfMemoryBudgetException refusal) {
    waits++;
    waiting = waiting + 1;
    task.demand = demand;
    task.signal = null;
    task.refusedBy = refusal == null ? null : demand.refuser(refusal);
    task.since = System.nanoTime();
    task.triedAt = -1;
  }

  synchronized void ended(PressureTask task, boolean hasMemory, @Nullable Signal signal) {
    waiting = waiting - 1;
    waitedNanos += System.nanoTime() - task.since;
    if (signal == Signal.RETRY) {
      retries++;
    } else if (signal == Signal.SPLIT) {
      splits++;
    } else if (signal == null && !hasMemory) {
      refusals++;
    }
    task.demand = null;
    task.signal = null;
    endings++;
    // Those behind it may go on.
    signals++;
    notifyAll();
  }

  /** Whether no task before it waits for memory that it could have. */
  synchronized boolean mayTry(PressureTask task, Demand demand) {
    boolean hasMemory = !demand.isTurn() && task.heldBytes() > 0;
    for (PressureTask other : tasks.values()) {
      Demand wanted = other.demand;
      if (wanted != null
          && other.isBefore(task)
          && (other.refusedBy == null || demand.resource().account().isWithin(other.refusedBy))
          && !(hasMemory && System.nanoTime() - other.since < PASSING_NANOS)) {
        return false;
      }
    }
    return true;
  }

  /** Waits for a signal; first, if no task can go on, decides who gives way. */
  synchronized void pause(
      PressureTask task,
      Demand demand,
      long seen,
      @Nullable OutOfMemoryBudgetException refusal,
      Deadline deadline) {
    task.triedAt = seen;
    task.refusedBy = refusal == null ? null : demand.refuser(refusal);
    if (signals == seen && isStuck()) {
      giveWay();
    }
    long nanos = Math.min(deadline.remainingNanos(), LONGEST_PAUSE_NANOS);
    if (task.signal == null && signals == seen && nanos > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Held: {@code this}. */
  private boolean isStuck() {
    tasks.values().removeIf(task -> !task.thread().isAlive());
    for (PressureTask task : tasks.values()) {
      if (task.demand == null || task.signal != null || task.triedAt != signals) {
        return false;
      }
    }
    return true;
  }

  /** Held: {@code this}. All tasks wait. */
  private void giveWay() {
    List<PressureTask> ordered = tasks.values().stream().sorted(FIRST_TO_LAST).toList();
    PressureTask first = ordered.get(0);
    for (int i = ordered.size() - 1; i > 0; i--) {
      PressureTask last = ordered.get(i);
      if (last.demand != null && !last.demand.isTurn() && last.heldBytes() > 0) {
        tell(last, Signal.RETRY);
        return;
      }
    }
    if (first.demand != null && first.demand.isTurn()) {
      tell(first, Signal.GO);
    } else if (!othersMayReturnMemory()) {
      tell(first, Signal.SPLIT);
    }
  }

  /** Held: {@code this}. Whether threads without a task have memory, for a moment. */
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

  private void tell(PressureTask task, Signal signal) {
    task.signal = signal;
    notifyAll();
  }

  private long outside() {
    long held = tasks.values().stream().mapToLong(PressureTask::heldBytes).sum();
    Budget budget = whole.snapshot();
    return Math.max(0, budget.live() + budget.promised() - held);
  }

  /** Who has how much memory, and waits for how much. */
  synchronized String account() {
    StringBuilder words = new StringBuilder();
    long now = System.nanoTime();
    tasks.values().stream()
        .sorted(FIRST_TO_LAST)
        .forEach(
            task -> {
              words.append(task).append(" has ").append(task.heldBytes()).append(" bytes");
              Demand demand = task.demand;
              if (demand == null) {
                words.append(" and runs");
              } else {
                words.append(" and has waited ").append((now - task.since) / 1_000_000);
                words.append(" ms ").append(demand);
              }
              words.append(", ");
            });
    return words + "other arrays and reservations have " + outside() + " bytes";
  }

  /** The figures at this moment, with those of spilling. */
  public synchronized PressureStatistics statistics(SpillStatistics spilling) {
    return new PressureStatistics(
        tasks.size(),
        waiting,
        waits,
        Duration.ofNanos(waitedNanos),
        retries,
        splits,
        refusals,
        spilling);
  }
}

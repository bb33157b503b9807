package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Budget;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.memory.MemoryTask;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link MemoryTask}. Its thread opens, nests and closes it; other threads
 * read what it has.
 */
public final class PressureTask implements MemoryTask {
  /** What ends a wait besides memory. */
  enum Signal {
    RETRY,
    SPLIT,
    GO
  }

  private final WaitingTasks tasks;
  private final Thread thread = Thread.currentThread();
  private final long number;
  private final int priority;
  private final Duration patience;

  /** What it has allocated, by the budget that it allocates from: each counts in a part of that. */
  private final Map<BudgetResource, BudgetResource> shares = new ConcurrentHashMap<>();

  /** How many uses of a spillable array it has, and the bytes that count for them. */
  private record Kept(int uses, long bytes) {}

  /** The memory of the spillable arrays that it keeps on the device. */
  private final Map<Allocation, Kept> kept = new ConcurrentHashMap<>();

  /** How often it is open, since a task within a task is part of it. Used by its thread. */
  private int depth = 1;

  /** Whether it is closed itself. Used by its thread. */
  private boolean isClosed;

  /** How many operators run one inside of another. Used by its thread. */
  private int operators;

  /** What it needs to begin again; null unless it has given way. Used by its thread. */
  private @Nullable Demand needed;

  PressureTask(WaitingTasks tasks, long number, int priority, Duration patience) {
    this.tasks = tasks;
    this.number = number;
    this.priority = priority;
    this.patience = patience;
  }

  @Override
  public int priority() {
    return priority;
  }

  @Override
  public long heldBytes() {
    long held = kept.values().stream().mapToLong(Kept::bytes).sum();
    for (BudgetResource share : shares.values()) {
      held += bytes(share);
    }
    return held;
  }

  private static long bytes(BudgetResource share) {
    Budget figures = share.snapshot();
    return figures.live() + figures.promised();
  }

  /** The part of a budget that counts what the task allocates from it. */
  public BudgetResource share(BudgetResource resource) {
    return shares.computeIfAbsent(resource, whole -> whole.part(Long.MAX_VALUE, toString()));
  }

  /** A use of a spillable array begins, which counts once unless it is in a share already. */
  public void keep(Allocation allocation) {
    kept.compute(
        allocation,
        (same, before) ->
            before == null
                ? new Kept(1, hasAllocated(allocation) ? 0 : allocation.sizeInBytes())
                : new Kept(before.uses() + 1, before.bytes()));
  }

  /** A use of a spillable array has ended. */
  public void keepNoLonger(Allocation allocation) {
    kept.computeIfPresent(
        allocation,
        (same, before) -> before.uses() == 1 ? null : new Kept(before.uses() - 1, before.bytes()));
  }

  private boolean hasAllocated(Allocation allocation) {
    return shares.values().stream().anyMatch(share -> share.pays(allocation));
  }

  @Override
  public void awaitTurn() {
    requireOwnThread();
    Demand demand = needed;
    needed = null;
    if (demand != null) {
      tasks.awaitTurn(this, demand);
    }
  }

  /**
   * Whether a request exceeds the budget that refuses it, with what the task has of that, or the
   * runtime's, with all that it has.
   */
  boolean neverFits(Demand asked, OutOfMemoryBudgetException refusal) {
    Account refuser = asked.refuser(refusal);
    return asked.bytes() > refusal.limit() - (refuser == null ? heldBytes() : heldBytes(refuser))
        || asked.bytes() > tasks.whole().snapshot().limit() - heldBytes();
  }

  /** Bytes of it that count in an account. */
  long heldBytes(Account account) {
    long held = 0;
    for (Map.Entry<Allocation, Kept> each : kept.entrySet()) {
      held += each.getKey().isPaidBy(account) ? each.getValue().bytes() : 0;
    }
    for (BudgetResource share : shares.values()) {
      held += share.account().isWithin(account) ? bytes(share) : 0;
    }
    return held;
  }

  /**
   * Notes that it gives way, with what it has and asks for. What it has may be of other budgets
   * than what it asks for: only the runtime's has to have room for all of it.
   */
  void giveWay(Demand asked) {
    needed = again(asked, asked.resource(), again(asked, tasks.whole(), null));
  }

  private Demand again(Demand asked, BudgetResource budget, @Nullable Demand around) {
    long bytes = asked.bytes() + heldBytes(budget.account());
    return new Demand(asked.what(), bytes, budget, true, around);
  }

  /**
   * An operator begins.
   *
   * @return whether it runs inside of another, which can give back more
   */
  public boolean beginOperator() {
    return operators++ > 0;
  }

  /** An operator has ended. */
  public void endOperator() {
    operators--;
  }

  /** The task that another one is a part of, or that it is itself. */
  public static PressureTask of(MemoryTask task) {
    return task instanceof NestedTask nested ? nested.whole() : (PressureTask) task;
  }

  /** Opens a task of its thread that is a part of it. */
  NestedTask nest() {
    depth++;
    return new NestedTask(this);
  }

  /** Closes itself, or a task that is a part of it; it ends with the last of them. */
  void closeOne() {
    requireOwnThread();
    if (--depth == 0) {
      tasks.end(this);
    }
  }

  @Override
  public void close() {
    requireOwnThread();
    if (!isClosed) {
      isClosed = true;
      closeOne();
    }
  }

  private void requireOwnThread() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException(
          this + " is used by thread '" + Thread.currentThread().getName() + "'; open one there");
    }
  }

  Thread thread() {
    return thread;
  }

  Duration patience() {
    return patience;
  }

  /** Whether it gets memory first. */
  boolean isBefore(PressureTask other) {
    return priority == other.priority ? number < other.number : priority > other.priority;
  }

  @Override
  public String toString() {
    return "task " + number + " of thread '" + thread.getName() + "'";
  }
}

package dev.streamfence.internal.pressure;

import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.pressure.PressureTask.Signal;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A task that waits, as the others see it. Guarded by the lock of {@link WaitingTasks}. */
final class Waiting {
  private final PressureTask task;
  private final Demand demand;
  private final Condition changed;
  private final long since = System.nanoTime();

  /** Whether it can give something back: its thread allocates nothing while it waits. */
  private final boolean hasMemory;

  private @Nullable Account refuser;
  private @Nullable Signal signal;

  /** The number of signals before it tried last. */
  private long triedAt = -1;

  /**
   * Creates one.
   *
   * @param refuser the account that has no room for it; null if that is not known
   * @param changed where its thread waits
   */
  Waiting(PressureTask task, Demand demand, @Nullable Account refuser, Condition changed) {
    this.task = task;
    this.demand = demand;
    this.refuser = refuser;
    this.changed = changed;
    this.hasMemory = hasMemory(task, demand);
  }

  /** Whether a task has memory that it gives back when it gets what it asks for. */
  static boolean hasMemory(PressureTask task, Demand demand) {
    return !demand.isTurn() && task.heldBytes() > 0;
  }

  PressureTask task() {
    return task;
  }

  Demand demand() {
    return demand;
  }

  boolean hasMemory() {
    return hasMemory;
  }

  /** How long it has waited. */
  long nanos() {
    return System.nanoTime() - since;
  }

  /** Whether the memory that it waits for is also that of a request. */
  boolean wantsMemoryOf(Demand other) {
    return refuser == null || other.resource().account().isWithin(refuser);
  }

  /** Whether the memory that it waits for is that of all requests. */
  boolean wantsMemoryOfAll(Account whole) {
    return refuser == null || refuser == whole;
  }

  /**
   * It was refused.
   *
   * @param signals how many there were before it tried
   * @return whether another account refuses it than before, so that others may go on
   */
  boolean refused(@Nullable Account by, long signals) {
    boolean isOther = refuser != by;
    refuser = by;
    triedAt = signals;
    return isOther;
  }

  boolean hasTried(long signals) {
    return triedAt == signals;
  }

  @Nullable Signal signal() {
    return signal;
  }

  void tell(Signal what) {
    signal = what;
    wake();
  }

  void wake() {
    changed.signal();
  }

  /** Waits until it is woken, but no longer than so many nanoseconds, or until an interrupt. */
  @SuppressWarnings("WaitNotInLoop") // The caller loops: it looks at what has changed.
  void sleep(long nanos) {
    try {
      long unused = changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "has waited " + nanos() / 1_000_000 + " ms " + demand;
  }
}

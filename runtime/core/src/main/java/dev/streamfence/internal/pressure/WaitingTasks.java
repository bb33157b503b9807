package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RetryAllocationException;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.pressure.PressureTask.Signal;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.SpillStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open tasks of a runtime, and those that wait for memory. Thread-safe: a lock guards who waits
 * for what, and is not held while memory is requested.
 *
 * <p>A waiting task that {@linkplain Turns may try} does so at each {@link #signal}, and after a
 * while without one; the others sleep. When every task waits, and those that may try have done so
 * since the last signal, none can go on. Then the last one that has memory gives way, unless it is
 * also the first; if there is none, the first one begins again or asks for less. So the first one
 * always gets on, and each task becomes the first one in time.
 */
public final class WaitingTasks {
  /** For memory that comes back without a signal, as that of a lost array does. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final BudgetResource whole;
  private final Runnable requireUsable;
  private final LongSupplier idleBytes;
  private final PressureObserver observer;
  private final Map<Thread, PressureTask> tasks = new ConcurrentHashMap<>();
  private final AtomicLong opened = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by lock. */
  private final Turns turns;

  /** Guarded by lock. */
  private final WaitCounts counts = new WaitCounts();

  /** How many wait. Written under lock. */
  private volatile int waiting;

  /**
   * Creates an empty one.
   *
   * @param whole the budget of the runtime
   * @param requireUsable throws if the runtime is closed or its device lost
   * @param idleBytes bytes of arrays that can leave the device
   * @param observer hears of each wait
   */
  public WaitingTasks(
      BudgetResource whole,
      Runnable requireUsable,
      LongSupplier idleBytes,
      PressureObserver observer) {
    this.whole = whole;
    this.observer = observer;
    this.turns = new Turns(whole, tasks.values());
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
    PressureTask task = new PressureTask(this, opened.incrementAndGet(), priority, patience);
    tasks.put(task.thread(), task);
    return task;
  }

  /** The task of the calling thread; null if it has none. */
  public @Nullable PressureTask current() {
    return tasks.isEmpty() ? null : tasks.get(Thread.currentThread());
  }

  void end(PressureTask task) {
    locked(
        () -> {
          tasks.remove(task.thread(), task);
          turns.ended();
        });
  }

  /** Memory may have become free. Costs next to nothing if no task waits. */
  private void signal() {
    if (waiting > 0) {
      locked(turns::wake);
    }
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
      locked(counts::split);
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
      throw split(task, demand, refusal, wait.explanation());
    }
    return wait.result();
  }

  private boolean mayTry(PressureTask task, Demand demand) {
    boolean hasMemory = Waiting.hasMemory(task, demand);
    return locked(() -> turns.mayTry(task, demand, hasMemory));
  }

  private static SplitAndRetryException split(
      PressureTask task, Demand demand, OutOfMemoryBudgetException refusal, String explanation) {
    return new SplitAndRetryException(
        task + " has to ask for less than " + demand.bytes() + " bytes; " + explanation, refusal);
  }

  /** Waits until the memory is free that a task needs to begin again, or no task can go on. */
  void awaitTurn(PressureTask task, Demand needed) {
    Demand missing = needed.lacking(task::heldBytes);
    Supplier<Boolean> fits =
        () -> {
          missing.check(idleBytes.getAsLong());
          return true;
        };
    MemoryWait<Boolean> wait = new MemoryWait<>(this, task, missing, fits, null).run();
    if (wait.signal() == null) {
      wait.result();
    }
  }

  /** The budget of the runtime. */
  BudgetResource whole() {
    return whole;
  }

  PressureObserver observer() {
    return observer;
  }

  void requireUsable() {
    requireUsable.run();
  }

  /** How many signals there were. */
  long signals() {
    return locked(turns::signals);
  }

  /** What a waiting task is told to do; null if nothing. */
  @Nullable Signal signal(Waiting task) {
    lock.lock();
    try {
      return task.signal();
    } finally {
      lock.unlock();
    }
  }

  boolean mayTry(Waiting task) {
    return locked(() -> turns.mayTry(task));
  }

  Waiting begin(PressureTask task, Demand demand, @Nullable OutOfMemoryBudgetException refusal) {
    return locked(
        () -> {
          Waiting added =
              new Waiting(
                  task,
                  demand,
                  refusal == null ? null : demand.refuser(refusal),
                  lock.newCondition());
          counts.began();
          turns.add(added);
          waiting = turns.size();
          return added;
        });
  }

  void ended(Waiting task, boolean hasMemory, @Nullable Signal signal) {
    locked(
        () -> {
          turns.remove(task);
          waiting = turns.size();
          counts.ended(task.nanos(), hasMemory, signal);
          turns.ended();
        });
  }

  /**
   * Waits for a signal; first, if no task can go on, decides who gives way.
   *
   * @param seen how many signals there were before the task tried, or was held up
   * @param refusal why it was refused; null if it was held up
   */
  void pause(
      Waiting task, long seen, @Nullable OutOfMemoryBudgetException refusal, Deadline deadline) {
    locked(
        () -> {
          if (refusal != null && task.refused(task.demand().refuser(refusal), seen)) {
            turns.wake();
          }
          if (turns.signals() == seen && turns.isStuck()) {
            turns.giveWay();
          }
          long nanos = deadline.remainingNanos();
          if (turns.mayTry(task)) {
            nanos = Math.min(nanos, LONGEST_PAUSE_NANOS);
          }
          if (task.signal() == null && turns.signals() == seen && nanos > 0) {
            task.sleep(nanos);
          }
        });
  }

  /** Who has how much memory, and waits for how much. */
  String inWords() {
    return locked(turns::inWords);
  }

  /** The open tasks, from first to last. */
  public List<String> open() {
    return tasks.values().stream().sorted(Turns.FIRST_TO_LAST).map(PressureTask::toString).toList();
  }

  /** The figures at this moment, with those of spilling. */
  public PressureStatistics statistics(SpillStatistics spilling) {
    return locked(() -> counts.snapshot(tasks.size(), waiting, spilling));
  }

  private void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  private <T> T locked(Supplier<T> step) {
    lock.lock();
    try {
      return step.get();
    } finally {
      lock.unlock();
    }
  }
}

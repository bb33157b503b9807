package dev.streamfence.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs threads of real code one at a time, from one {@link #pause} to the next, and draws the next
 * one at random. A thread that waits for a lock, or for another thread, has no turn until it can
 * continue. Confined to the thread that runs it, except for {@link #pause}.
 *
 * <p>Two runs with one seed are alike, but not always the same: a thread that was waiting runs
 * beside the one whose turn it is, up to its next pause.
 */
final class Turns {
  /** Longer than a thread takes from being woken to running on a machine that is not overloaded. */
  private static final long LOOK_NANOS = 20_000;

  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Far more than any program takes. */
  private static final int MOST_TURNS = 10_000;

  /** At most so many turns in a row are likely for one thread. */
  private static final int LONGEST_STRETCH = 6;

  private final Thread controller = Thread.currentThread();
  private final Random random;
  private final int stretch;
  private final List<Worker> workers = new ArrayList<>();

  Turns(long seed) {
    this.random = new Random(seed);
    this.stretch = 1 + random.nextInt(LONGEST_STRETCH);
  }

  private final class Worker extends Thread {
    private final Runnable work;
    private volatile boolean paused;
    private volatile boolean done;
    private volatile Throwable failure;

    private Worker(Runnable work) {
      super("turn " + workers.size());
      setDaemon(true);
      this.work = work;
    }

    @Override
    public void run() {
      try {
        pause();
        work.run();
      } catch (Throwable e) {
        failure = e;
      }
      done = true;
      LockSupport.unpark(controller);
    }

    private void awaitTurn() {
      paused = true;
      LockSupport.unpark(controller);
      while (paused) {
        LockSupport.park(this);
      }
    }

    private void goOn() {
      paused = false;
      LockSupport.unpark(this);
    }

    private boolean isBlocked() {
      return switch (getState()) {
        case BLOCKED, WAITING, TIMED_WAITING -> true;
        default -> false;
      };
    }
  }

  /** Lets another thread run first, or not; does nothing outside {@link #run}. */
  void pause() {
    if (Thread.currentThread() instanceof Worker worker) {
      worker.awaitTurn();
    }
  }

  /** Runs pieces of work in threads of their own to their end; the first failure is thrown. */
  void run(Runnable... work) {
    for (Runnable own : work) {
      workers.add(new Worker(own));
    }
    workers.forEach(Thread::start);
    Worker last = null;
    int turns = 0;
    for (List<Worker> ready = awaitRest(); !ready.isEmpty(); ready = awaitRest()) {
      if (turns++ == MOST_TURNS) {
        throw new AssertionError("no end after " + MOST_TURNS + " turns");
      }
      if (last == null || !ready.contains(last) || random.nextInt(stretch) == 0) {
        last = ready.get(random.nextInt(ready.size()));
      }
      last.goOn();
    }
  }

  /** Waits until each thread has paused, ended, or waits; returns those that have paused. */
  private List<Worker> awaitRest() {
    long start = System.nanoTime();
    boolean blockedBefore = false;
    while (true) {
      List<Worker> ready = new ArrayList<>();
      boolean blocked = false;
      boolean running = false;
      for (Worker worker : workers) {
        // First: a worker seen waiting that is neither paused nor done afterwards waits for others.
        boolean waits = worker.isBlocked();
        if (worker.failure != null) {
          // At once: others may wait for ever for what it did not do.
          throw new AssertionError(worker.failure);
        }
        if (worker.paused) {
          ready.add(worker);
        } else if (!worker.done) {
          blocked |= waits;
          running |= !waits;
        }
      }
      if (!running && (!blocked || blockedBefore && !ready.isEmpty())) {
        return ready;
      }
      if (System.nanoTime() - start > STUCK_NANOS) {
        throw new AssertionError("no thread gets on: " + workers);
      }
      blockedBefore = blocked && !running;
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}

package dev.streamfence.model;

import dev.streamfence.corpus.Effort;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckSettings;

/**
 * Runs real code under Lincheck's model checker, which decides at every access to shared memory
 * which thread continues. A thread that deadlocks or throws fails the test with the interleaving.
 */
public final class ControlledScheduler {
  /** Each takes seconds in a test of three launches; the first one also instruments all classes. */
  private static final int INVOCATIONS = Effort.of(2, 20);

  /**
   * How often a loop may run before the checker takes it for one that waits for another thread. It
   * ends the exploration at such a loop, after a few interleavings and without a word, so this is
   * more than the longest loop of the code has turns: a runtime's life has 64 places.
   */
  private static final int LOOP_ITERATIONS_BEFORE_A_SWITCH = 100;

  /** More than a thread spins before parking while it waits for a submission. */
  private static final int LOOP_BOUND = 10_000;

  private static final int RECURSION_BOUND = 20;

  private ControlledScheduler() {}

  /**
   * Runs a test in many interleavings of the threads that it starts; fails if they are too few, as
   * when the checker takes a loop for one that waits.
   */
  public static void explore(Runnable test) {
    explore(INVOCATIONS, test);
  }

  /** Runs a test in a given number of interleavings, where the usual number finds too little. */
  public static void explore(int invocations, Runnable test) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getTotalStartedThreadCount();
    // Internal by name, but the public entry has no settings, and its limit of 10 turns takes a
    // search through an event ring for a thread that hangs.
    Lincheck.runConcurrentTestInternal$lincheck(
        invocations,
        new LincheckSettings(true, LOOP_ITERATIONS_BEFORE_A_SWITCH, LOOP_BOUND, RECURSION_BOUND),
        test);
    // The checker undoes what a run writes, a counter as well; the virtual machine counts threads.
    long started = threads.getTotalStartedThreadCount() - before;
    require(started >= invocations, "only " + started + " threads in all interleavings");
  }

  /** Runs pieces of work in threads of their own; the first error of any is thrown. */
  public static void together(Runnable... work) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread[] threads = new Thread[work.length];
    for (int i = 0; i < work.length; i++) {
      Runnable own = work[i];
      threads[i] = new Thread(() -> guarded(own, failure));
      threads[i].start();
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  /** An assertion; AssertJ's compare themselves in a way that the checker cannot instrument. */
  public static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  private static void guarded(Runnable work, AtomicReference<Throwable> failure) {
    try {
      work.run();
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }
}

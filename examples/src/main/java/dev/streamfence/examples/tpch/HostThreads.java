package dev.streamfence.examples.tpch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** A fixed number of named Java threads. Thread-safe. */
public final class HostThreads implements AutoCloseable {
  private final int count;
  private final ExecutorService executor;

  /**
   * Starts no thread yet; a thread starts with its first task.
   *
   * @param name the name of the threads, followed by a number
   * @param count how many tasks run at the same time
   */
  public HostThreads(String name, int count) {
    this.count = count;
    AtomicInteger number = new AtomicInteger();
    this.executor =
        Executors.newFixedThreadPool(
            count,
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** How many tasks run at the same time. */
  public int count() {
    return count;
  }

  /** The threads as an executor. */
  public Executor executor() {
    return executor;
  }

  /**
   * Waits until every task has ended and returns the results in order.
   *
   * @throws RuntimeException the failure of the first failed task, with those of the others
   *     suppressed
   */
  public <T> List<T> runAll(List<Callable<T>> tasks) {
    List<Future<T>> futures = tasks.stream().map(executor::submit).toList();
    List<T> results = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (Future<T> future : futures) {
      try {
        results.add(future.get());
      } catch (ExecutionException e) {
        failures.add(e.getCause());
      } catch (InterruptedException e) {
        executor.shutdownNow();
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for host threads", e);
      }
    }
    if (!failures.isEmpty()) {
      throw firstOf(failures);
    }
    return results;
  }

  private static RuntimeException firstOf(List<Throwable> failures) {
    Throwable first = failures.get(0);
    RuntimeException thrown =
        first instanceof RuntimeException runtime
            ? runtime
            : new IllegalStateException("a host thread failed: " + first, first);
    failures.stream().skip(1).filter(other -> other != thrown).forEach(thrown::addSuppressed);
    return thrown;
  }

  /** Lets running tasks end, without waiting for them. */
  @Override
  public void close() {
    executor.shutdown();
  }
}

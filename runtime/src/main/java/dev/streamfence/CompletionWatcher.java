package dev.streamfence;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks after launches for those who do not want to wait: one thread, which is there while anything
 * is asked after. The driver could call back instead, but not after an error, and not into itself.
 * Thread-safe.
 */
final class CompletionWatcher {
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private record Watched(Completion completion, CompletableFuture<Void> future) {
    /** Completes the future if the launch is done or lost; whether it was. */
    boolean settle() {
      try {
        if (!completion.isDone()) {
          return false;
        }
        future.complete(null);
      } catch (RuntimeException e) {
        future.completeExceptionally(e);
      }
      return true;
    }
  }

  private final String name;

  // Guarded by this.
  private final List<Watched> watched = new ArrayList<>();
  private boolean running;

  CompletionWatcher(String name) {
    this.name = name;
  }

  /** A stage that completes with the launch. */
  CompletionStage<Void> watch(Completion completion) {
    Watched added = new Watched(completion, new CompletableFuture<>());
    if (!added.settle()) {
      add(added);
    }
    return added.future.minimalCompletionStage();
  }

  private synchronized void add(Watched added) {
    watched.add(added);
    if (!running) {
      running = true;
      Thread thread = new Thread(this::run, name);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void run() {
    long pause = SHORTEST_PAUSE_NANOS;
    List<Watched> current = current();
    while (!current.isEmpty()) {
      List<Watched> settled = current.stream().filter(Watched::settle).toList();
      remove(settled);
      pause = settled.isEmpty() ? Math.min(2 * pause, LONGEST_PAUSE_NANOS) : SHORTEST_PAUSE_NANOS;
      LockSupport.parkNanos(this, pause);
      current = current();
    }
  }

  /** What is watched now; when there is nothing, the next one starts a thread again. */
  private synchronized List<Watched> current() {
    running = !watched.isEmpty();
    return List.copyOf(watched);
  }

  private synchronized void remove(List<Watched> settled) {
    watched.removeAll(settled);
  }
}

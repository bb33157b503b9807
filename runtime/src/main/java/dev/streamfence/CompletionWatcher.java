package dev.streamfence;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
      } catch (RuntimeException | Error e) {
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
    startIfNeeded();
  }

  private synchronized void startIfNeeded() {
    if (!running && !watched.isEmpty()) {
      Thread thread = new Thread(this::run, name);
      thread.setDaemon(true);
      thread.start();
      running = true;
    }
  }

  private void run() {
    try {
      watch();
    } finally {
      // However it ended: whoever is still watched, or comes now, gets another thread.
      synchronized (this) {
        running = false;
        startIfNeeded();
      }
    }
  }

  private void watch() {
    long pause = SHORTEST_PAUSE_NANOS;
    for (List<Watched> current = current(); !current.isEmpty(); current = current()) {
      List<Watched> settled = current.stream().filter(Watched::settle).toList();
      remove(settled);
      pause = settled.isEmpty() ? Math.min(2 * pause, LONGEST_PAUSE_NANOS) : SHORTEST_PAUSE_NANOS;
      LockSupport.parkNanos(this, pause);
      // Whatever a continuation has left behind: parking would not pause any more.
      Thread.interrupted();
    }
  }

  private synchronized List<Watched> current() {
    return List.copyOf(watched);
  }

  private synchronized void remove(List<Watched> settled) {
    watched.removeAll(Set.copyOf(settled));
  }
}

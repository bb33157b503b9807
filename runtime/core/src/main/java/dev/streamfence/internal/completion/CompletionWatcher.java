package dev.streamfence.internal.completion;

import dev.streamfence.internal.order.Timeline;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Polls launches and completes their stages, in one thread that runs only while a stage is pending.
 * The launches of a stream finish in the order of their tickets, so the thread polls only the first
 * of each stream, and then the next. The driver's own callbacks are unsuitable: they are not called
 * after an error, and must not call the driver. Thread-safe.
 */
public final class CompletionWatcher {
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final Comparator<Watched> BY_TICKET =
      Comparator.comparingLong(watched -> watched.completion.ticket());

  private record Watched(TrackedCompletion completion, CompletableFuture<Void> future) {
    /** Completes the future if the launch is done or lost; returns whether it was. */
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

  private final ThreadFactory threads;
  private final LongConsumer pause;

  // Guarded by this. No queue is empty. Launches may be added out of order.
  private final Map<Timeline, PriorityQueue<Watched>> watched = new LinkedHashMap<>();
  private boolean running;

  public CompletionWatcher(String name) {
    this(run -> daemon(run, name), LockSupport::parkNanos);
  }

  /** A watcher for tests, which provide its threads and its pauses in nanoseconds. */
  CompletionWatcher(ThreadFactory threads, LongConsumer pause) {
    this.threads = threads;
    this.pause = pause;
  }

  private static Thread daemon(Runnable run, String name) {
    Thread thread = new Thread(run, name);
    thread.setDaemon(true);
    return thread;
  }

  /** A stage that completes with the launch. */
  CompletionStage<Void> watch(TrackedCompletion completion) {
    Watched added = new Watched(completion, new CompletableFuture<>());
    if (!added.settle()) {
      add(added);
    }
    return added.future.minimalCompletionStage();
  }

  private synchronized void add(Watched added) {
    watched
        .computeIfAbsent(added.completion.timeline(), stream -> new PriorityQueue<>(BY_TICKET))
        .add(added);
    startIfNeeded();
  }

  private synchronized void startIfNeeded() {
    if (!running && !watched.isEmpty()) {
      threads.newThread(this::run).start();
      // Only now: if the thread cannot be started, the next addition tries again.
      running = true;
    }
  }

  private void run() {
    boolean ended = false;
    try {
      poll();
      ended = true;
    } finally {
      if (!ended) {
        restart();
      }
    }
  }

  /** Starts a new thread for the launches still watched, because an error ended this one. */
  private synchronized void restart() {
    running = false;
    startIfNeeded();
  }

  private void poll() {
    long nanos = SHORTEST_PAUSE_NANOS;
    for (List<Watched> first = firstOrEnd(); !first.isEmpty(); first = firstOrEnd()) {
      boolean anySettled = false;
      for (Watched ofStream : first) {
        anySettled |= settle(ofStream);
      }
      nanos = anySettled ? SHORTEST_PAUSE_NANOS : Math.min(2 * nanos, LONGEST_PAUSE_NANOS);
      pause.accept(nanos);
      // A continuation may have interrupted this thread, which would then no longer pause.
      Thread.interrupted();
    }
  }

  /** Settles the launches of a stream up to the first that is not done; returns whether any was. */
  private boolean settle(Watched first) {
    boolean anySettled = false;
    for (Watched next = first; next != null && next.settle(); next = remove(next)) {
      anySettled = true;
    }
    return anySettled;
  }

  /**
   * The first launch of each stream. If there is none, {@link #add} regards the thread as ended.
   * Both hold the lock, so no addition relies on a thread that is about to end.
   */
  private synchronized List<Watched> firstOrEnd() {
    running = !watched.isEmpty();
    return watched.values().stream().map(PriorityQueue::element).toList();
  }

  /** Stops watching a launch and returns the next of its stream; null if there is none. */
  private synchronized @Nullable Watched remove(Watched settled) {
    Timeline stream = settled.completion.timeline();
    PriorityQueue<Watched> ofStream = watched.get(stream);
    if (ofStream == null) {
      return null;
    }
    ofStream.remove(settled);
    if (ofStream.isEmpty()) {
      watched.remove(stream);
    }
    return ofStream.peek();
  }
}

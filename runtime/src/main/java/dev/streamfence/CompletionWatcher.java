package dev.streamfence;

import dev.streamfence.stream.Timeline;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Asks after launches for those who do not want to wait: one thread, which is there while anything
 * is asked after. The launches of a stream are done in the order of their tickets, so that it asks
 * after the first of each stream alone, and after the next when that one is done. The driver could
 * call back instead, but not after an error, and not into itself. Thread-safe.
 */
final class CompletionWatcher {
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final Comparator<Watched> BY_TICKET =
      Comparator.comparingLong(watched -> watched.completion.ticket());

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

  // Guarded by this. The queues are not empty; whoever asks late may ask after an early launch.
  private final Map<Timeline, PriorityQueue<Watched>> watched = new LinkedHashMap<>();
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
    watched
        .computeIfAbsent(added.completion.timeline(), stream -> new PriorityQueue<>(BY_TICKET))
        .add(added);
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
    for (List<Watched> first = first(); !first.isEmpty(); first = first()) {
      boolean anySettled = false;
      for (Watched ofStream : first) {
        anySettled |= settle(ofStream);
      }
      pause = anySettled ? SHORTEST_PAUSE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      LockSupport.parkNanos(this, pause);
      // Whatever a continuation has left behind: parking would not pause any more.
      Thread.interrupted();
    }
  }

  /** Settles the first of a stream and those behind it, up to one that is not done. */
  private boolean settle(Watched first) {
    boolean anySettled = false;
    for (Watched next = first; next != null && next.settle(); next = remove(next)) {
      anySettled = true;
    }
    return anySettled;
  }

  /** The first of each stream. */
  private synchronized List<Watched> first() {
    return watched.values().stream().map(PriorityQueue::element).toList();
  }

  /** Forgets one of a stream, and returns the first of the others; null if there is none. */
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

package dev.streamfence.graph;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.graph.GraphRecorder;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Graphs by a key, such as the kind of an operator and the {@linkplain #sizeClass size class} of
 * its input. Each is recorded when it is first needed. When the cache is full, the least recently
 * used graph makes room: it is {@linkplain KernelGraph#recordAgain recorded again} for the new key,
 * or closed first if there is no memory for both.
 *
 * <p>Thread-safe. Launches of different keys do not wait for each other, except that a new key
 * waits for a launch of the graph that makes room. Of one key, threads take turns for the host's
 * time of a launch, so that each launches with the inputs that it has bound.
 *
 * @param <K> the keys; immutable, with {@code equals} and {@code hashCode}
 */
public final class GraphCache<K> implements AutoCloseable {
  /**
   * Counts so far. Immutable.
   *
   * @param recordings how often a graph was recorded
   * @param updates how often the driver could change a graph that made room, instead of making
   *     another one
   * @param hits launches that found their graph
   * @param evictions how often a graph made room
   * @param graphs graphs that are kept
   */
  public record Statistics(long recordings, long updates, long hits, long evictions, int graphs) {}

  private static final class Entry {
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable KernelGraph graph;

    /** Whether it is out of the cache; guarded by the lock, like the graph. */
    private boolean isGone;

    /** Takes the graph of an entry that is out of the cache. */
    private @Nullable KernelGraph leave() {
      lock.lock();
      try {
        isGone = true;
        return graph;
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Code that records the graph of a key.
   *
   * @param <K> the keys
   */
  @FunctionalInterface
  public interface Code<K> {
    /**
     * Makes the launches, fills and copies of the graph, like {@link GraphCode#record}. Arrays that
     * each launch replaces are best {@linkplain GraphBody#scratch scratch memory}. May run twice,
     * if the first time finds too little memory.
     */
    void record(K key, GraphBody body);
  }

  /** The entry of a key, and the one that has made room for it. */
  private record Taken(Entry entry, @Nullable Entry evicted) {}

  private final DeviceRuntime gpu;
  private final String name;
  private final int capacity;

  /** The threads that are inside of a launch: they hold the lock of an entry. */
  private final Set<Thread> launching = ConcurrentHashMap.newKeySet();

  /** The least recently used first. Guarded by this, like the counts. */
  private final Map<K, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  private long recordings;
  private long updates;
  private long hits;
  private long evictions;

  /**
   * Creates an empty cache.
   *
   * @param gpu records the graphs; the cache is of no use after its close
   * @param name of the graphs, for errors and traces
   * @param capacity how many graphs it keeps, at least 1
   */
  public GraphCache(DeviceRuntime gpu, String name, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a cache of " + capacity + " graphs; it has at least 1");
    }
    this.gpu = Objects.requireNonNull(gpu, "gpu");
    this.name = Objects.requireNonNull(name, "name");
    this.capacity = capacity;
  }

  /**
   * The least power of two that is not less than a length: arrays of one class can share a graph
   * that was recorded for the largest of them.
   *
   * @param length at least 0, at most 2^62
   */
  public static long sizeClass(long length) {
    if (length < 0 || length > 1L << 62) {
      throw new IllegalArgumentException("a length of " + length + "; it is from 0 to 2^62");
    }
    return length <= 1 ? 1 : Long.highestOneBit(length - 1) << 1;
  }

  /**
   * Launches the graph of a key.
   *
   * @param code records it if the cache does not have it
   * @param bind binds its inputs for this launch
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   * @throws dev.streamfence.StreamMisuseException inside of a launch of this thread, for which a
   *     thread with the same key may wait, or in {@code code} or {@code bind} of the same cache.
   *     What those throw is thrown; the cache has no graph of the key if {@code code} did.
   */
  public void launch(
      K key, DeviceStream stream, Code<? super K> code, Consumer<? super KernelGraph> bind) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(bind, "bind");
    GraphRecorder.requireOutsideLaunch(stream, "a launch from a cache of graphs");
    Thread thread = Thread.currentThread();
    requireNotInside(thread, "a launch");
    launching.add(thread);
    try {
      while (!tryLaunch(key, stream, code, bind)) {
        // Another thread has evicted it in between.
        Thread.onSpinWait();
      }
    } finally {
      launching.remove(thread);
    }
  }

  private void requireNotInside(Thread thread, String act) {
    if (launching.contains(thread)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          act
              + " of the cache of graphs '"
              + name
              + "' inside of a launch from it: the code that records and the code that binds use"
              + " other graphs only");
    }
  }

  private boolean tryLaunch(
      K key, DeviceStream stream, Code<? super K> code, Consumer<? super KernelGraph> bind) {
    Taken taken = take(key);
    Entry entry = taken.entry();
    KernelGraph spare = taken.evicted() == null ? null : taken.evicted().leave();
    if (spare != null) {
      countEviction();
    }
    entry.lock.lock();
    try {
      if (entry.isGone) {
        return false;
      }
      KernelGraph graph = entry.graph;
      boolean isHit = graph != null && graph.isOpen();
      if (graph == null || !isHit) {
        entry.graph = null;
        graph = record(key, code, spare);
        spare = null;
        entry.graph = graph;
      }
      count(isHit);
      bind.accept(graph);
      graph.launch(stream);
      return true;
    } finally {
      if (entry.graph == null && !entry.isGone) {
        forget(key, entry);
      }
      entry.lock.unlock();
      if (spare != null) {
        spare.close();
      }
    }
  }

  /**
   * Records a graph.
   *
   * @param spare one that is not needed any more, which the driver may be able to change
   */
  private KernelGraph record(K key, Code<? super K> code, @Nullable KernelGraph spare) {
    if (spare != null && spare.isOpen()) {
      long before = spare.statistics().updates();
      try {
        spare.recordAgain(body -> code.record(key, body));
        countUpdates(spare.statistics().updates() - before);
        return spare;
      } catch (OutOfMemoryBudgetException e) {
        // While a graph is recorded again, it has the memory of both recordings.
        spare.close();
      }
    }
    return gpu.graph(name, body -> code.record(key, body));
  }

  private synchronized void countUpdates(long made) {
    updates += made;
  }

  private synchronized void countEviction() {
    evictions++;
  }

  /** Removes a key whose graph could not be recorded. Held: the entry's lock. */
  private synchronized void forget(K key, Entry entry) {
    entry.isGone = true;
    entries.remove(key, entry);
  }

  private synchronized Taken take(K key) {
    Entry entry = entries.computeIfAbsent(key, absent -> new Entry());
    if (entries.size() <= capacity) {
      return new Taken(entry, null);
    }
    K oldest = entries.keySet().iterator().next();
    return new Taken(entry, entries.remove(oldest));
  }

  private synchronized void count(boolean isHit) {
    if (isHit) {
      hits++;
    } else {
      recordings++;
    }
  }

  /** The counts so far. */
  public synchronized Statistics statistics() {
    return new Statistics(recordings, updates, hits, evictions, entries.size());
  }

  /**
   * Closes all graphs; not to be called inside of a launch. Waits for threads that are launching
   * one. Later launches record them again.
   */
  @Override
  public void close() {
    requireNotInside(Thread.currentThread(), "the close");
    List<Entry> all;
    synchronized (this) {
      all = new ArrayList<>(entries.values());
      entries.clear();
    }
    Teardown teardown = new Teardown();
    for (Entry entry : all) {
      teardown.step(
          () -> {
            KernelGraph graph = entry.leave();
            if (graph != null) {
              graph.close();
            }
          });
    }
    teardown.finish();
  }
}

package dev.streamfence.internal;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What to do about arrays and reservations that become unreachable without being closed, and about
 * downloads whose values no caller has asked for. One thread does it for all runtimes of the
 * process, while anything is watched. Thread-safe.
 *
 * <p>A {@link java.lang.ref.Cleaner} keeps a list of all that it watches, with a lock for each
 * change. An array's {@link Watch} needs no list: its runtime reaches it for as long as the array
 * has memory, and is {@linkplain #keep kept} here meanwhile.
 */
public final class LostArrays {
  /** Watches an object. Whatever makes one keeps it reachable for as long as it matters. */
  public abstract static class Watch extends PhantomReference<Object> {
    /** Begins to watch an object, which this does not keep reachable. */
    protected Watch(Object watched) {
      super(watched, LOST);
    }

    /** Called once, by the thread of all runtimes, after the object has become unreachable. */
    protected abstract void lost();
  }

  /** An object through which watches are reachable. */
  public interface Keeper {
    /**
     * Called after collections of garbage, to let a runtime be collected that the program has lost:
     * {@linkplain #keep keeps} this again unless it reaches no watch that matters.
     */
    void keepIfNeeded();
  }

  /** A watch that is kept here. */
  private static final class KeptWatch extends Watch {
    private final Runnable action;

    KeptWatch(Object watched, Runnable action) {
      super(watched);
      this.action = action;
    }

    @Override
    protected void lost() {
      WATCHES.remove(this);
      action.run();
    }
  }

  /** Watches an object that is garbage already, so that each collection finds one. */
  private static final class CollectionWatch extends Watch {
    CollectionWatch() {
      super(new Object());
    }

    @Override
    protected void lost() {
      nextCollection = null;
      // In this order: a keeper that is kept again meanwhile stays.
      for (Keeper keeper : List.copyOf(KEEPERS)) {
        KEEPERS.remove(keeper);
        keeper.keepIfNeeded();
      }
    }
  }

  private static final ReferenceQueue<Object> LOST = new ReferenceQueue<>();
  private static final Set<Watch> WATCHES = ConcurrentHashMap.newKeySet();
  private static final Set<Keeper> KEEPERS = ConcurrentHashMap.newKeySet();

  /** How long the thread waits for a lost object while the Java heap has no room for a watch. */
  private static final long RETRY_MILLIS = 100;

  /** How long the thread stays when nothing is watched: it need not start at each collection. */
  private static final long LINGER_MILLIS = 1000;

  private static final OnDemandThread THREAD =
      new OnDemandThread(LostArrays::thread, LostArrays::isNeeded, LostArrays::serve);

  /** Used by the thread alone; null if there was no room for it. */
  private static @Nullable Watch nextCollection;

  private LostArrays() {}

  /**
   * Runs an action once an object, which the action does not reach, has become unreachable. If it
   * throws, for example because no thread can be started, nothing is watched.
   */
  public static void watch(Object watched, Runnable action) {
    add(WATCHES, new KeptWatch(watched, action));
  }

  /**
   * Keeps a keeper, and its watches, reachable until {@link Keeper#keepIfNeeded} lets it go. If it
   * throws, for example because no thread can be started, nothing is kept.
   */
  public static void keep(Keeper keeper) {
    add(KEEPERS, keeper);
  }

  private static <T> void add(Set<T> all, T one) {
    all.add(one);
    try {
      THREAD.ensure();
    } catch (Throwable e) {
      all.remove(one);
      throw e;
    }
  }

  private static Thread thread(Runnable run) {
    // Without what belongs to the caller, whose class loader the thread would keep.
    Thread thread = new Thread(null, run, "streamfence lost arrays", 0, false);
    thread.setContextClassLoader(LostArrays.class.getClassLoader());
    thread.setDaemon(true);
    return thread;
  }

  private static boolean isNeeded() {
    return !WATCHES.isEmpty() || !KEEPERS.isEmpty();
  }

  /** Watches for the next collection; returns whether the heap has room for that. */
  private static boolean watchNextCollection() {
    if (nextCollection == null) {
      try {
        nextCollection = new CollectionWatch();
      } catch (OutOfMemoryError e) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the thread goes on. */
  private static boolean serve() {
    boolean isNeeded = isNeeded();
    try {
      long millis = isNeeded ? (watchNextCollection() ? 0 : RETRY_MILLIS) : LINGER_MILLIS;
      Reference<?> lost = LOST.remove(millis);
      if (lost != null) {
        ((Watch) lost).lost();
        return true;
      }
    } catch (Throwable e) {
      // Like a cleaner: one action that fails must not end the others.
    }
    return isNeeded;
  }
}

package dev.streamfence.internal.order;

import dev.streamfence.internal.driver.CudaDriver;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads inside one runtime. Knows those of its peers, the open runtimes that can use its
 * memory: work there can wait for work here, so what a thread has open on one of them counts for
 * all.
 *
 * <p>Thread-safe. While no two threads inside share one of the {@link #PLACES}, claiming and
 * leaving allocate nothing, take no lock and write to nothing that another thread writes to.
 */
final class Visits {
  /**
   * A power of two, and more than the threads that run at the same time: their ids are consecutive,
   * so that few share a place.
   */
  private static final int PLACES = 64;

  /** Those of the runtimes that are not closed; weakly, since a program can lose a runtime. */
  private static final List<WeakReference<Visits>> OPEN = new ArrayList<>();

  private final Visit[] places;

  /** The visits of threads whose place is taken by another thread. */
  private final ConcurrentMap<Thread, Visit> others = new ConcurrentHashMap<>();

  /** Null for a runtime without peers. */
  private final CudaDriver.@Nullable ContextHandle device;

  private final WeakReference<Visits> self = new WeakReference<>(this);

  /** Weakly, as in {@link #OPEN}. */
  private volatile List<WeakReference<Visits>> peers = List.of();

  /** Has {@code count} places, a power of two, and no peers. */
  Visits(int count) {
    this(count, null);
  }

  private Visits(int count, CudaDriver.@Nullable ContextHandle device) {
    this.device = device;
    places = new Visit[count];
    for (int i = 0; i < count; i++) {
      places[i] = new Visit();
    }
  }

  /** Those of a runtime that is being opened, which {@link #end} separates from its peers. */
  static Visits of(CudaDriver driver) {
    Visits made = new Visits(PLACES, driver.context());
    synchronized (OPEN) {
      OPEN.removeIf(reference -> reference.get() == null);
      List<WeakReference<Visits>> peers = new ArrayList<>();
      for (WeakReference<Visits> reference : OPEN) {
        Visits other = reference.get();
        if (other != null && other.device != null && driver.isPeer(other.device)) {
          peers.add(reference);
          List<WeakReference<Visits>> more = new ArrayList<>(other.peers);
          more.add(made.self);
          other.peers = List.copyOf(more);
        }
      }
      made.peers = List.copyOf(peers);
      OPEN.add(made.self);
    }
    return made;
  }

  /** Says that the runtime is closed. */
  void end() {
    synchronized (OPEN) {
      OPEN.remove(self);
      for (WeakReference<Visits> reference : peers) {
        Visits peer = reference.get();
        if (peer != null) {
          peer.peers = peer.peers.stream().filter(one -> one != self).toList();
        }
      }
      peers = List.of();
    }
  }

  /** The visit of a thread; null if it is not inside. */
  @Nullable Visit find(Thread thread) {
    Visit place = place(thread);
    if (place.owner() == thread) {
      return place;
    }
    if (others.isEmpty()) {
      return null;
    }
    Visit other = others.get(thread);
    return other != null && other.owner() == thread ? other : null;
  }

  /**
   * The visit of the calling thread to a peer in which it has a submission open, or accesses mapped
   * host memory; null if there is none.
   */
  @Nullable Visit openOnPeer() {
    List<WeakReference<Visits>> all = peers;
    if (!all.isEmpty()) {
      Thread thread = Thread.currentThread();
      for (int i = 0; i < all.size(); i++) {
        Visits peer = all.get(i).get();
        Visit visit = peer == null ? null : peer.find(thread);
        if (visit != null && visit.holdsUpOthers()) {
          return visit;
        }
      }
    }
    return null;
  }

  /** Begins the visit of a thread that is not inside. */
  Visit claim(Thread thread) {
    Visit place = place(thread);
    if (place.claim(thread)) {
      return place;
    }
    Visit other = new Visit();
    other.claim(thread);
    others.put(thread, other);
    return other;
  }

  /** Forgets a visit that has ended. */
  void forget(Visit visit, @Nullable Thread owner) {
    if (owner != null && !others.isEmpty()) {
      others.remove(owner, visit);
    }
  }

  /** Gives each visit of another thread to {@code inside}; returns whether there is one. */
  boolean forEachOther(Consumer<Visit> inside) {
    Thread self = Thread.currentThread();
    boolean any = false;
    for (Visit visit : places) {
      any |= isOther(visit, self, inside);
    }
    for (Visit visit : others.values()) {
      any |= isOther(visit, self, inside);
    }
    return any;
  }

  private static boolean isOther(Visit visit, Thread self, Consumer<Visit> inside) {
    Thread owner = visit.owner();
    if (owner == null || owner == self) {
      return false;
    }
    inside.accept(visit);
    return true;
  }

  // The replacement, threadId(), came with Java 19.
  @SuppressWarnings("deprecation")
  private Visit place(Thread thread) {
    return places[(int) thread.getId() & (places.length - 1)];
  }
}

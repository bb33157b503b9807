// Long because entering, leaving and closing are one protocol over the same few words of state.
package dev.streamfence.internal.order;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of a runtime: open, closing, closed. Every operation that may call the driver enters
 * first and leaves at its end, so it either runs entirely within the runtime's life or is refused.
 * Closing refuses every thread that enters from then on, and then waits for those inside; after
 * that the closing thread is alone.
 *
 * <p>While the runtime is closing, nested operations and the closing thread may still enter.
 * Entering writes the thread into its place and then reads the phase; closing writes the phase and
 * then reads the places: one of the two sees the other.
 *
 * <p>Thread-safe. While the runtime is open, entering and leaving cost what {@link Visits} says.
 */
public final class Life {
  private enum Phase {
    OPEN,
    CLOSING,
    CLOSED
  }

  /** How long the closing thread waits before it checks again which threads are inside. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Supplier<String> subject;
  private final Visits visits;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  private volatile Phase phase = Phase.OPEN;
  private volatile @Nullable Thread closer;

  /** When closing began for the first time. Guarded by lock. */
  private long closingSince;

  /**
   * Begins a life.
   *
   * @param subject describes the runtime, for errors
   */
  Life(Supplier<String> subject, Visits visits) {
    this.subject = subject;
    this.visits = visits;
  }

  /**
   * Enters for one operation, which {@link #leave} ends.
   *
   * @throws RuntimeClosedException if the runtime is closed or closing
   */
  public void enter() {
    visit();
  }

  /**
   * Enters like {@link #enter}, unless the runtime is closed or closing; returns whether it did.
   */
  public boolean tryEnter() {
    return tryVisit() != null;
  }

  /**
   * Enters like {@link #tryEnter}, for a thread that must not wait for another thread's submission:
   * work that would have to wait is postponed.
   */
  public boolean tryEnterWithoutWaiting() {
    Visit visit = tryVisit();
    if (visit == null) {
      return false;
    }
    visit.forbidWaiting();
    return true;
  }

  /** Ends the operation that the thread entered last. */
  public void leave() {
    Visit visit = current();
    if (visit != null) {
      leave(visit);
    }
  }

  /** Whether no thread has begun to close the runtime. */
  public boolean isOpen() {
    return phase == Phase.OPEN;
  }

  /** Whether the runtime is closed. */
  public boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /**
   * Notes that the calling thread, which has entered, begins or ends an access to host memory that
   * kernels use. Launches wait for its end with their stream held, so meanwhile the thread must not
   * wait for a stream.
   */
  public void noteAccess(boolean begins) {
    Visit visit = current();
    if (visit != null) {
      visit.access(begins);
    }
  }

  /** Whether the calling thread is in such an access. */
  boolean isAccessing() {
    Visit visit = current();
    return visit != null && visit.isAccessing();
  }

  /** Says that the calling thread, which has entered, begins the body of a graph; null ends it. */
  public void record(@Nullable GraphRecording graph) {
    Visit visit = current();
    if (visit != null) {
      visit.setRecording(graph);
    }
  }

  /** The graph whose body the calling thread runs; null outside of one. */
  public @Nullable GraphRecording recording() {
    Visit visit = current();
    return visit == null ? null : visit.recording();
  }

  /**
   * Refuses what has no meaning in the body of a graph, where nothing runs.
   *
   * @param act the operation, for errors
   * @throws StreamMisuseException if the calling thread runs one
   */
  public void requireNotRecording(Supplier<String> act) {
    GraphRecording graph = recording();
    if (graph != null) {
      throw graph.refusal(AttemptedUse.of(act.get()));
    }
  }

  /**
   * Makes a call of other code once the calling thread is outside of the runtime, where it holds
   * nothing that another thread may wait for: at the end of its outermost operation, or at once.
   */
  public void callOutside(Runnable call) {
    Visit visit = current();
    if (visit == null) {
      call.run();
    } else {
      visit.callAfterwards(call);
    }
  }

  /** Whether the calling thread is inside an operation, or has a launch open. */
  public boolean isEntered() {
    return current() != null;
  }

  /**
   * Whether the calling thread may wait for another thread's submission. A thread with an open
   * submission, here or on a peer, may not: the two could deadlock.
   */
  public boolean mayWait() {
    return mayWaitHere() && visits.openOnPeer() == null;
  }

  /** Answers {@link #mayWait} without a look at the peers, for a part of work of one of them. */
  boolean mayWaitHere() {
    Visit visit = current();
    return visit == null || visit.mayWait();
  }

  /** See {@link Visits#openOnPeer}. */
  @Nullable Visit openOnPeer() {
    return visits.openOnPeer();
  }

  /**
   * Throws if the runtime is closed or closing, as an early check: only {@link #enter} keeps it
   * open.
   *
   * @throws RuntimeClosedException if it is, in any thread but the closing one
   */
  public void requireOpen() {
    if (phase != Phase.OPEN && closer != Thread.currentThread()) {
      throw closed("");
    }
  }

  /** The exception for a use after the end. */
  RuntimeClosedException closed(String detail) {
    return new RuntimeClosedException(subject.get(), detail);
  }

  /** Enters, and returns the thread's visit. */
  Visit visit() {
    Visit visit = tryVisit();
    if (visit == null) {
      throw closed("");
    }
    return visit;
  }

  /** Enters unless the runtime is closed or closing; returns null if it is. */
  @Nullable Visit tryVisit() {
    Thread thread = Thread.currentThread();
    Visit existing = visits.find(thread);
    if (existing != null) {
      existing.deepen();
      return existing;
    }
    // An early check, so that threads that keep trying do not delay the closing thread.
    if (phase != Phase.OPEN && closer != thread) {
      return null;
    }
    Visit visit = visits.claim(thread);
    if (phase != Phase.OPEN && closer != thread) {
      leave(visit);
      return null;
    }
    return visit;
  }

  /**
   * Ends one operation of a visit, and the visit itself with the outermost one. Then makes the
   * calls of other code that the visit has put off.
   */
  void leave(Visit visit) {
    Thread owner = visit.owner();
    List<Runnable> calls = visit.callsAfterwards();
    if (visit.leave()) {
      left(visit, owner);
      if (!calls.isEmpty()) {
        // A thread that ends the visit of another one may be inside of an operation of its own.
        boolean isOwn = owner == Thread.currentThread();
        Teardown all = new Teardown();
        calls.forEach(call -> all.step(isOwn ? call : () -> callOutside(call)));
        all.finish();
      }
    }
  }

  /** Ends the visit of a thread that will not end it. */
  void evict(Visit visit) {
    Thread owner = visit.owner();
    visit.end();
    left(visit, owner);
  }

  /**
   * Makes the calling thread the one that closes. From then on no other thread can enter. Waits
   * while another thread is closing.
   *
   * @param deadline when to stop waiting; null for no limit
   * @return whether the calling thread has to close; if not, the runtime is closed, the calling
   *     thread is closing it already, or the deadline has passed
   * @throws InterruptedException if the thread is interrupted while it waits with a deadline
   */
  public boolean beginClosing(@Nullable Deadline deadline) throws InterruptedException {
    if (closer == Thread.currentThread()) {
      return false;
    }
    lock.lock();
    try {
      while (phase != Phase.CLOSED && closer != null) {
        if (!await(deadline)) {
          return false;
        }
      }
      if (phase == Phase.CLOSED) {
        return false;
      }
      if (phase == Phase.OPEN) {
        closingSince = System.nanoTime();
      }
      closer = Thread.currentThread();
      phase = Phase.CLOSING;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The moment at which closing has taken {@code time}, pauses included. */
  Deadline afterClosingBegan(Duration time) {
    lock.lock();
    try {
      return Deadline.from(closingSince, time);
    } finally {
      lock.unlock();
    }
  }

  /** Leaves the closing to a later call: no other thread can enter. */
  public void pauseClosing() {
    end(Phase.CLOSING);
  }

  /** Ends the life. */
  public void endClosing() {
    end(Phase.CLOSED);
    visits.end();
  }

  /** Waits while another thread is closing the runtime. */
  void awaitClosed() {
    lock.lock();
    try {
      while (phase == Phase.CLOSING && closer != null && closer != Thread.currentThread()) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the closing thread is alone.
   *
   * @param stillInside receives each remaining visit, again in every round
   * @param deadline when to stop waiting; null for no limit
   * @return whether it is alone
   * @throws InterruptedException if the thread is interrupted while it waits with a deadline
   */
  boolean awaitAlone(Consumer<Visit> stillInside, @Nullable Deadline deadline)
      throws InterruptedException {
    boolean interrupted = false;
    try {
      while (visits.forEachOther(stillInside)) {
        if (deadline != null && deadline.hasPassed()) {
          return false;
        }
        lock.lock();
        try {
          // A thread that leaves between this check and the wait wakes it: waking takes the lock.
          if (visits.forEachOther(visit -> {})) {
            // In pieces: leave() may read the phase too early to wake this.
            changed.awaitNanos(PAUSE_NANOS);
          }
        } catch (InterruptedException e) {
          if (deadline != null) {
            throw e;
          }
          interrupted = true;
        } finally {
          lock.unlock();
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private @Nullable Visit current() {
    return visits.find(Thread.currentThread());
  }

  private void left(Visit visit, @Nullable Thread owner) {
    visits.forget(visit, owner);
    if (phase != Phase.OPEN) {
      signal();
    }
  }

  private void end(Phase next) {
    lock.lock();
    try {
      closer = null;
      phase = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a change, possibly in vain; returns whether there is time left. */
  @SuppressWarnings("WaitNotInLoop") // The caller looks again.
  private boolean await(@Nullable Deadline deadline) throws InterruptedException {
    if (deadline == null) {
      changed.awaitUninterruptibly();
      return true;
    }
    return changed.awaitNanos(deadline.remainingNanos()) > 0;
  }
}

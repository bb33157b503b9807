// Long because admitting a request and waiting for room share the figures, under one lock.
package dev.streamfence.internal.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The one account of a resource's bytes: claimed by requests in progress, open, freed but not yet
 * returned, promised to reservations, kept by the runtime. Each {@link Allocation} reports its own
 * changes here. A limit is checked when bytes are claimed or promised, so concurrent requests never
 * exceed it together; none is refused while another thread is returning bytes, except in a thread
 * with a launch open.
 *
 * <p>A part is the account of one of several users. It has its own limit, counts an allocation only
 * while it is open, and passes each change on to the whole account. A request claims in the part
 * first, so another request of that part may be refused while this one waits for the whole.
 *
 * <p>Thread-safe: {@code this} guards the figures. It is not held while memory is reaped, nor while
 * the whole account is called, except by {@link #closeAndReturn}, which locks the part first.
 */
public final class Account {
  /** What becomes of a request that does not fit at once. */
  private enum Answer {
    ADMITTED,
    REFUSED,
    UNDECIDED
  }

  private final @Nullable Account whole;
  private long limit = Long.MAX_VALUE;

  /** What this account and others take on the device; null if no others count there. */
  private @Nullable DeviceShare share;

  /** Whether the bytes of other runtimes count in the limit. */
  private boolean limitsShare;

  private String name = "";
  private LongConsumer reaping = wanted -> {};
  private BooleanSupplier mayWait = () -> false;
  private long claimed;
  private long open;
  private long freed;

  /** Of the freed bytes, those whose free no request can wait for. */
  private long held;

  private long promised;
  private long kept;
  private long peak;

  /** How many allocations were freed by threads in {@link #returning}. */
  private long frees;

  /** How many threads wait for room. */
  private int waiting;

  /** The threads that are returning bytes. */
  private final List<Thread> returning = new ArrayList<>();

  /** Creates the account of a resource, without a limit. */
  Account() {
    whole = null;
  }

  private Account(Account whole) {
    this.whole = whole;
  }

  /** Creates an account within this one, without a limit of its own. */
  Account part() {
    return new Account(this);
  }

  /**
   * Limits the bytes of this account. Bytes that it has already count.
   *
   * @param limitInBytes at least 0
   * @param budget the limit's name in refusals
   * @param reap returns freed bytes, and waits for as many as it is given
   * @param waits whether the calling thread may wait for bytes that others return
   * @throws IllegalStateException if it has a limit
   */
  synchronized void limit(
      long limitInBytes, String budget, LongConsumer reap, BooleanSupplier waits) {
    if (limitInBytes < 0) {
      throw new IllegalArgumentException(
          "a budget of " + limitInBytes + " bytes; the limit is at least 0");
    }
    if (limit < Long.MAX_VALUE) {
      throw new IllegalStateException(
          "a second budget in front of a resource; create a part of the first");
    }
    limit = limitInBytes;
    name = budget;
    reaping = reap;
    mayWait = waits;
  }

  /** Lets the bytes of other runtimes on the device count in the limit. */
  synchronized void limitShare() {
    limitsShare = true;
  }

  /** Counts the bytes of this whole account in those of the device from now on. */
  synchronized void countIn(DeviceShare device) {
    if (share == null) {
      device.take(used());
      share = device;
    }
  }

  /** Gives up what this account takes on the device, which is closed. */
  synchronized void countOut() {
    giveBack(used());
    share = null;
  }

  /**
   * Claims bytes for an allocation, here and in the whole. A request that fits the limit but not
   * its remaining bytes reaps, and waits for the bytes that other threads are returning.
   *
   * @param what the request, for errors
   * @throws OutOfMemoryBudgetException if they do not fit; nothing has changed
   */
  void claim(long bytes, String what) {
    admit(bytes, 0, what);
  }

  /**
   * Refuses bytes that would not fit now, here and in the whole. Freed bytes count as free, since a
   * request waits for them, except those that are held.
   *
   * @param what the request, for errors
   * @throws OutOfMemoryBudgetException if they do not fit
   */
  void check(long bytes, String what) {
    synchronized (this) {
      if (bytes > room() + freed - held) {
        throw refusal(what, bytes, null);
      }
    }
    if (whole != null) {
      whole.check(bytes, what);
    }
  }

  /** Sets bytes aside for a reservation, like {@link #claim}. */
  void promise(long bytes, String what) {
    admit(0, bytes, what);
  }

  /**
   * Sets bytes aside like {@link #promise} if they fit now. Neither reaps nor waits.
   *
   * @return whether they fit; nothing has changed otherwise
   * @throws OutOfMemoryBudgetException if they never fit, here or in the whole
   */
  boolean tryPromise(long bytes, String what) {
    for (Account each = this; each != null; each = each.whole) {
      each.requireBelowLimit(bytes, what);
    }
    return tryAdmitAll(0, bytes);
  }

  /** Claims or promises bytes if they fit now, here and in the whole; otherwise nothing changes. */
  private boolean tryAdmitAll(long claim, long promise) {
    if (!tryAdmit(claim, promise)) {
      return false;
    }
    if (whole != null && !whole.tryAdmitAll(claim, promise)) {
      changeHere(-claim, -promise);
      return false;
    }
    return true;
  }

  /**
   * Counts bytes as those of an open allocation if they fit now. Neither reaps nor waits.
   *
   * @return whether they fit; nothing has changed otherwise
   */
  boolean tryOpen(long bytes) {
    if (whole != null) {
      boolean isClaimed = tryAdmitAll(bytes, 0);
      if (isClaimed) {
        opened(bytes);
      }
      return isClaimed;
    }
    synchronized (this) {
      boolean fits = bytes <= limit - used() && tryTake(bytes);
      if (fits) {
        open += bytes;
        peak = Math.max(peak, open + freed);
      }
      return fits;
    }
  }

  /**
   * Closes an open allocation whose memory can be allocated again at once. A request that sees the
   * close finds the bytes, since it waits for this lock.
   *
   * @param close closes the allocation; must not wait, and returns whether it has
   */
  synchronized boolean closeAndReturn(long bytes, BooleanSupplier close) {
    boolean isClosed = whole == null ? close.getAsBoolean() : whole.closeAndReturn(bytes, close);
    if (isClosed) {
      open -= bytes;
      giveBack(bytes);
      wake();
    }
    return isClosed;
  }

  private synchronized void requireBelowLimit(long bytes, String what) {
    if (bytes > limit) {
      throw refusal(what, bytes, null);
    }
  }

  /**
   * Keeps promised bytes for the runtime itself: they count against the limit, but are no open
   * allocation, since those are the user's to close.
   */
  synchronized void keep(long bytes) {
    promised -= bytes;
    kept += bytes;
  }

  /** Gives up bytes that were kept. */
  synchronized void withdrawKept(long bytes) {
    kept -= bytes;
    giveBack(bytes);
    wake();
  }

  /** Gives up claimed bytes. */
  void withdraw(long bytes) {
    change(-bytes, 0);
  }

  /** Gives up promised bytes. */
  void withdrawPromise(long bytes) {
    change(0, -bytes);
  }

  /** Claims promised bytes for an allocation. */
  void draw(long bytes) {
    change(bytes, -bytes);
  }

  /** An allocation was made with claimed bytes. */
  void opened(long bytes) {
    synchronized (this) {
      claimed -= bytes;
      open += bytes;
      peak = Math.max(peak, open + freed);
    }
    if (whole != null) {
      whole.opened(bytes);
    }
  }

  /** An allocation was closed: its free is queued, or will be. */
  void closed(long bytes) {
    synchronized (this) {
      open -= bytes;
      if (whole == null) {
        freed += bytes;
      } else {
        wake();
      }
    }
    if (whole != null) {
      whole.closed(bytes);
    }
  }

  /**
   * An allocation is being closed whose free comes only after a use that is not submitted, or after
   * other code, such as a graph, has let go of it.
   */
  void held(long bytes) {
    changeHeld(bytes);
  }

  /** A closed allocation is held no longer: its free is queued, or will be. */
  void heldNoLonger(long bytes) {
    changeHeld(-bytes);
  }

  private void changeHeld(long change) {
    if (whole != null) {
      // A part does not count what is closed.
      whole.changeHeld(change);
      return;
    }
    synchronized (this) {
      held += change;
    }
  }

  /** A closed allocation could not be freed and is open again. */
  void reopened(long bytes) {
    synchronized (this) {
      open += bytes;
      if (whole == null) {
        freed -= bytes;
      }
    }
    if (whole != null) {
      whole.reopened(bytes);
    }
  }

  /** Freed bytes can be allocated again. */
  void returned(long bytes) {
    if (whole != null) {
      whole.returned(bytes);
      return;
    }
    synchronized (this) {
      freed -= bytes;
      giveBack(bytes);
      wake();
    }
  }

  /** The calling thread begins to return bytes: requests wait for it before they are refused. */
  void beginReturning() {
    if (whole != null) {
      // A part has its bytes back as soon as an allocation is closed.
      whole.beginReturning();
      return;
    }
    synchronized (this) {
      returning.add(Thread.currentThread());
    }
  }

  /**
   * The calling thread has returned what it could.
   *
   * @param frees how many allocations it has freed
   */
  void endReturning(int frees) {
    if (whole != null) {
      whole.endReturning(frees);
      return;
    }
    synchronized (this) {
      returning.remove(Thread.currentThread());
      this.frees += frees;
      wake();
    }
  }

  /** Bytes of open allocations, and of freed ones that have not been returned. */
  synchronized long outstanding() {
    return open + freed;
  }

  /** Bytes of freed allocations that have not been returned. */
  synchronized long freed() {
    return freed;
  }

  /** Whether it is an account, or a part of it, or of one of its parts. */
  public boolean isWithin(Account other) {
    for (Account each = this; each != null; each = each.whole) {
      if (each == other) {
        return true;
      }
    }
    return false;
  }

  /** The first account without room for bytes now: this one or one around it; null if all have. */
  @Nullable Account without(long bytes) {
    synchronized (this) {
      if (bytes > room()) {
        return this;
      }
    }
    return whole == null ? null : whole.without(bytes);
  }

  /** The figures at this moment. */
  synchronized Budget snapshot() {
    return new Budget(limit, open, freed + claimed, promised, peak, kept);
  }

  /** Bytes that a request could claim now, here and in the whole; never negative. */
  long remaining() {
    long here;
    synchronized (this) {
      here = Math.max(0, room());
    }
    return whole == null ? here : Math.min(here, whole.remaining());
  }

  /** Resets the peak to the open bytes and the freed ones that have not been returned. */
  synchronized void resetPeak() {
    peak = open + freed;
  }

  private void change(long claim, long promise) {
    changeHere(claim, promise);
    if (whole != null) {
      whole.change(claim, promise);
    }
  }

  /** Gives bytes up, or makes claimed ones of promised ones. */
  private synchronized void changeHere(long claim, long promise) {
    claimed += claim;
    promised += promise;
    giveBack(-claim - promise);
    wake();
  }

  private void admit(long claim, long promise, String what) {
    admitHere(claim, promise, what);
    if (whole == null) {
      return;
    }
    try {
      whole.admit(claim, promise, what);
    } catch (Throwable e) {
      changeHere(-claim, -promise);
      throw e;
    }
  }

  private void admitHere(long claim, long promise, String what) {
    if (tryAdmit(claim, promise)) {
      return;
    }
    long bytes = claim + promise;
    if (bytes > limit) {
      throw refusal(what, bytes, null);
    }
    boolean interrupted = false;
    try {
      while (true) {
        long seen = frees();
        Exception reapFailed = tryReap(missing(bytes));
        try {
          switch (awaitRoom(claim, promise, seen)) {
            case ADMITTED -> {
              return;
            }
            case REFUSED -> throw refusal(what, bytes, reapFailed);
            case UNDECIDED -> {}
          }
        } catch (InterruptedException e) {
          // Like any wait for the device: it goes on, and the thread stays interrupted.
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Reaps, and returns a failure instead of throwing it: bytes that are not reaped stay in the
   * account, and the request is then refused for its size.
   */
  private @Nullable Exception tryReap(long wanted) {
    try {
      reaping.accept(wanted);
      return null;
    } catch (Exception e) {
      return e;
    }
  }

  /**
   * Waits while a request does not fit and other threads are returning bytes.
   *
   * @param seen the number of frees before the last reap; if there were more since, their bytes may
   *     be reaped now
   */
  private synchronized Answer awaitRoom(long claim, long promise, long seen)
      throws InterruptedException {
    boolean waits = mayWait.getAsBoolean();
    while (!tryAdmit(claim, promise)) {
      if (frees != seen) {
        return Answer.UNDECIDED;
      }
      // A thread that is returning bytes itself, as when a log allocates, would wait for itself.
      if (!waits || returning.isEmpty() || returning.contains(Thread.currentThread())) {
        return Answer.REFUSED;
      }
      waiting++;
      try {
        wait();
      } finally {
        waiting--;
      }
    }
    return Answer.ADMITTED;
  }

  private synchronized long frees() {
    return frees;
  }

  private synchronized boolean tryAdmit(long claim, long promise) {
    // Bytes of other runtimes that count in the limit are for the share to see.
    if (claim + promise > limit - used() || !tryTake(claim + promise)) {
      return false;
    }
    claimed += claim;
    promised += promise;
    return true;
  }

  private synchronized long missing(long bytes) {
    return Math.max(0, bytes - room());
  }

  /** Held: {@code this}. The figures never exceed the limit together, so no sum overflows. */
  private long room() {
    return limit - used() - others();
  }

  /** Lets those who wait look again. Held: {@code this}. */
  private void wake() {
    if (waiting > 0) {
      notifyAll();
    }
  }

  /** Held: {@code this}. */
  private boolean tryTake(long bytes) {
    return share == null || share.tryTake(bytes, limitsShare ? limit : Long.MAX_VALUE);
  }

  /** Held: {@code this}. */
  private void giveBack(long bytes) {
    if (share != null && bytes != 0) {
      share.giveBack(bytes);
    }
  }

  private long used() {
    return claimed + open + freed + promised + kept;
  }

  /** The bytes of other runtimes that count in the limit. Held: {@code this}. */
  private long others() {
    return limitsShare && share != null ? share.taken() - used() : 0;
  }

  private synchronized OutOfMemoryBudgetException refusal(
      String what, long bytes, @Nullable Exception cause) {
    return new OutOfMemoryBudgetException(
        what, bytes, used(), freed, peak, limit, name, others(), cause);
  }
}

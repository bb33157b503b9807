// Long because of its documentation: most methods are a line or two, and say what they assume of
// the lock.
package dev.streamfence.internal.order;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamStatistics;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The order of one stream's work: every launch, copy, fill, allocation and free put on it has a
 * ticket, and tickets only rise.
 *
 * <p>Thread-safe. {@link #begin} takes the stream's own submission lock, which the thread holds
 * until {@link Submission#close}.
 */
public final class Timeline {
  private final StreamPool pool;
  private final int index;
  private final CudaDriver driver;
  private final StreamSlot stream;
  private final EventRing ring;
  private final SubmissionLock submissionLock = new SubmissionLock();
  private final Submission submission;
  private final Progress progress;
  private final SubmittedGate gate = new SubmittedGate();
  private final RecentWork recent = new RecentWork();
  private final String name;
  // Guarded by the submission lock.
  private boolean busy;

  /** How many waits for other streams were queued. */
  private final LongAdder waits = new LongAdder();

  /** Guarded by the pool. */
  private int priority;

  /** How many callers have adopted the stream. Guarded by the pool. */
  private int adoptions;

  private long returned;

  Timeline(StreamPool pool, int index, int priority, CudaDriver driver, StreamSlot stream) {
    this.pool = pool;
    this.index = index;
    this.priority = priority;
    this.driver = driver;
    this.stream = stream;
    this.ring = new EventRing(driver, stream, index, pool.timelines());
    this.submission = new Submission(this);
    this.name = pool.describe(index);
    this.progress = new Progress(pool, index, driver, stream, ring);
  }

  /** The stream's number, dense within its pool. */
  public int index() {
    return index;
  }

  /** The priority of its stream: 0 for the default, lower for more urgent. */
  int priority() {
    return priority;
  }

  void setPriority(int priority) {
    this.priority = priority;
  }

  /** The pool that it belongs to, and with it the device. */
  public StreamPool pool() {
    return pool;
  }

  /** The driver's stream, on which to queue work between preflight and commit. */
  public StreamHandle stream() {
    return stream.handle();
  }

  /** Whether it has a stream at this moment whose raw handle this is. */
  boolean isOn(long rawHandle) {
    return stream.isAttached() && driver.rawHandle(stream.handle()) == rawHandle;
  }

  /** Whether its stream went back to its owner: nothing can be submitted until the next one. */
  public boolean isReturned() {
    return !stream.isAttached();
  }

  /**
   * Whether the runtime may put anything on its stream at this moment. Asks the driver about an
   * adopted stream.
   *
   * @throws CudaDriverException if the driver refuses the question
   */
  public boolean isUsable() {
    try {
      return !isAdopted() || ring.isStreamUsable();
    } catch (CudaDriverException e) {
      throw e.during("asking whether other code captures " + name);
    }
  }

  /**
   * Refuses what cannot be done while other code captures its stream.
   *
   * @throws StreamMisuseException if it does
   * @throws CudaDriverException if the driver refuses the question; names the work
   */
  public void requireNotCapturing(UseLabels labels) {
    if (!isAdopted()) {
      return;
    }
    boolean isUsable;
    try {
      isUsable = ring.isStreamUsable();
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
    if (!isUsable && !isReturned()) {
      throw capturing(labels.work(), name);
    }
  }

  /** The refusal of what cannot be done while other code captures a stream. */
  public static StreamMisuseException capturing(AttemptedUse work, String stream) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.CAPTURING,
        work,
        " is refused while other code captures "
            + stream
            + ", where nothing runs meanwhile; end the capture first, or record the work with"
            + " DeviceRuntime.graph");
  }

  /** Whether other code made its stream. */
  boolean isAdopted() {
    return stream.isAdopted();
  }

  /** When its last stream went back, counted by the pool; 0 if none did. */
  long returned() {
    return returned;
  }

  void setReturned(long count) {
    returned = count;
  }

  int adoptions() {
    return adoptions;
  }

  void setAdoptions(int count) {
    adoptions = count;
  }

  /**
   * Goes on with a stream that other code made. Work of the stream before it comes first, so that
   * tickets keep their order.
   */
  void attach(StreamHandle adopted) {
    putBefore(adopted);
    stream.attach(adopted);
  }

  /** Makes a stream that replaces this one's wait for all work of this one. */
  private void putBefore(StreamHandle next) {
    long last = submitted();
    if (!needsNoWait(last)) {
      EventHandle event = ring.covering(last, last, null);
      if (event != null) {
        driver.waitForEvent(next, event);
      }
    }
  }

  /**
   * Exchanges the driver's stream of a timeline that is not lent. Work of the stream before it
   * comes first. Does not synchronise, but waits for another thread's submission, such as a free.
   *
   * @param create makes the next stream
   * @throws StreamMisuseException if it would have to wait inside of a launch of this thread
   * @throws CudaDriverException if the driver refuses; nothing has changed then
   */
  void exchange(Supplier<StreamHandle> create) {
    if (pool.life().mayWait()) {
      submissionLock.lock();
    } else if (!submissionLock.tryLock()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          "the last free stream, "
              + this
              + ", is used by another thread for the moment, and this one is inside of a launch;"
              + " close that first");
    }
    try {
      StreamHandle next = create.get();
      try {
        putBefore(next);
        ring.exchange(next);
      } catch (CudaDriverException | Error e) {
        try {
          driver.destroyStream(next);
        } catch (RuntimeException | Error undestroyed) {
          Suppressed.add(e, undestroyed);
        }
        throw e;
      }
    } finally {
      submissionLock.unlock();
    }
  }

  /** Destroys streams that were exchanged, as far as no thread waits for one. */
  void destroyExchanged() {
    stream.destroyExchanged(driver);
  }

  /**
   * Gives an adopted stream back to its owner: no later call uses it. Makes no driver call, since
   * an event covers each submission.
   *
   * @throws StreamMisuseException if this thread has a launch open, on this stream or on another
   */
  void detach() {
    if (pool.life().mayWait()) {
      submissionLock.lock();
    } else {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          this + " is closed inside of a launch or a call of this thread; end that first");
    }
    try {
      ring.detach();
      if (busy) {
        busy = false;
        pool.becameIdle();
      }
    } finally {
      submissionLock.unlock();
    }
  }

  /**
   * Makes this stream wait for everything queued on another one at this moment, also by code that
   * is not the runtime's.
   */
  void waitForEverything(Timeline other) {
    EventHandle event = other.ring.coveringEverything(other.submitted());
    if (event != null) {
      driver.waitForEvent(stream.handle(), event);
      waits.increment();
    }
  }

  /** Makes this stream wait for everything that a stream of a peer was given so far. */
  void waitForPeer(Timeline peer) {
    waitForPeer(peer.ring.coveringEverything(peer.submitted()));
  }

  /** Makes this stream wait for work of a peer's stream, whose submission is open. */
  void waitForPeer(Timeline peer, long ticket) {
    waitForPeer(peer.ring.covering(ticket, ticket, null));
  }

  private void waitForPeer(@Nullable EventHandle event) {
    if (event != null) {
      driver.waitForPeerEvent(stream.handle(), event);
      waits.increment();
    }
  }

  /** The counts so far. */
  StreamStatistics statistics() {
    return new StreamStatistics(index, name, submitted(), completed(), waits.sum());
  }

  /** The highest submitted ticket: its work is queued, or never will be. */
  public long submitted() {
    return gate.submitted();
  }

  /** The highest ticket that is known to be done, without asking the driver. */
  public long completed() {
    return progress.completed();
  }

  /**
   * Puts work on the stream, ordered after what it uses. Does not synchronise, unless the work
   * does.
   *
   * @return what the work returns
   * @throws StreamMisuseException as {@link #begin} and {@link Submission#preflight}
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or a driver call fails
   */
  public <T> T submit(Work<T> work) {
    return begin(work.labels()).carryOut(work);
  }

  /**
   * Starts a submission and takes the submission lock. Waits while another thread is between this
   * and {@link Submission#close} on the same stream. Makes no driver call, but asks whether an
   * adopted stream is being captured.
   *
   * @param labels name the work in errors
   * @return the stream's one submission object
   * @throws StreamMisuseException if this thread has a submission open on any stream, of this
   *     device or of a peer: two threads that begin on each other's streams would deadlock; or if
   *     the stream went back to its owner, or is being captured
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   */
  public Submission begin(UseLabels labels) {
    return begin(labels, false);
  }

  /**
   * Starts a submission like {@link #begin}, as a part of one that the thread has open on a peer.
   */
  Submission beginPart(UseLabels labels) {
    return begin(labels, true);
  }

  private Submission begin(UseLabels labels, boolean isPart) {
    pool.sticky().check();
    Visit visit = pool.life().visit();
    boolean locked = false;
    try {
      requireNoneOpen(visit, labels);
      if (!isPart) {
        requireNoneOpenOnPeers(labels);
      }
      submissionLock.lock();
      locked = true;
    } finally {
      if (!locked) {
        pool.life().leave(visit);
      }
    }
    return open(labels, visit);
  }

  /**
   * Starts a submission like {@link #begin}, unless the deadline passes before the lock is free.
   *
   * @return null if it has passed
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public @Nullable Submission begin(UseLabels labels, Deadline deadline)
      throws InterruptedException {
    pool.sticky().check();
    Visit visit = pool.life().visit();
    boolean locked = false;
    try {
      requireNoneOpen(visit, labels);
      requireNoneOpenOnPeers(labels);
      locked = submissionLock.lock(deadline);
    } finally {
      if (!locked) {
        pool.life().leave(visit);
      }
    }
    return locked ? open(labels, visit) : null;
  }

  /**
   * Starts a submission like {@link #begin}, or returns null if that would wait, even for this
   * thread itself, or if the runtime is closed, or the stream is not {@linkplain #isUsable usable}.
   * A thread that has a submission open on another stream may nest this one in it.
   *
   * @throws CudaDriverException if the device is lost
   */
  public @Nullable Submission tryBegin(UseLabels labels) {
    pool.sticky().check();
    Visit visit = pool.life().tryVisit();
    if (visit == null) {
      return null;
    }
    boolean locked = false;
    boolean isOpen = false;
    try {
      locked = submissionLock.tryLock();
      if (locked && isUsable()) {
        submission.open(labels, visit);
        isOpen = true;
      }
      return isOpen ? submission : null;
    } finally {
      if (!isOpen) {
        leave(visit, locked);
      }
    }
  }

  /** Waits while another thread has a submission open. Held: none of this thread's own. */
  void awaitNoneOpen() {
    submissionLock.lock();
    submissionLock.unlock();
  }

  private void requireNoneOpen(Visit visit, UseLabels labels) {
    GraphRecording graph = visit.recording();
    if (graph != null && labels.inGraph() == UseLabels.InGraph.REFUSED) {
      throw graph.refusal(labels.work());
    }
    if (visit.isAccessing()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
          labels.work(),
          " begins inside an access to a pinned array that is mapped or in a graph, in this thread;"
              + " end that first");
    }
    Timeline open = visit.submitting();
    if (open != null) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          labels.work(),
          " begins while "
              + open.submission.purpose()
              + " is open "
              + (open == this ? "on the same stream" : "on " + open)
              + " in this thread; close that first");
    }
  }

  private void requireNoneOpenOnPeers(UseLabels labels) {
    Visit peer = pool.life().openOnPeer();
    if (peer == null) {
      return;
    }
    Timeline open = peer.submitting();
    if (open == null) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
          labels.work(),
          " begins inside an access to a pinned array of another device that is mapped or in a"
              + " graph, in this thread; end that first");
    }
    throw new StreamMisuseException(
        StreamMisuseException.Misuse.INSIDE_LAUNCH,
        labels.work(),
        " begins while "
            + open.submission.purpose()
            + " is open on device "
            + open.pool.driver().properties().ordinal()
            + " in this thread; close that first");
  }

  private Submission open(UseLabels labels, Visit visit) {
    boolean isOpen = false;
    try {
      requireAttached(labels);
      // What becomes a node of a graph is not put on the stream.
      if (visit.recording() == null || labels.inGraph() != UseLabels.InGraph.RECORDED) {
        requireNotCapturing(labels);
      }
      submission.open(labels, visit);
      isOpen = true;
      return submission;
    } finally {
      if (!isOpen) {
        leave(visit, true);
      }
    }
  }

  private void requireAttached(UseLabels labels) {
    if (isReturned()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.CLOSED_STREAM,
          labels.work(),
          " begins on " + this + ", which went back to its owner");
    }
  }

  private void leave(Visit visit, boolean locked) {
    if (locked) {
      submissionLock.unlock();
    }
    pool.life().leave(visit);
  }

  /**
   * Closes a submission in place of the thread that has abandoned it. Called by the thread that
   * closes the runtime.
   *
   * @param ended whether the thread has ended; otherwise it must be outside the runtime
   * @return the submission's purpose; null if the thread is inside the runtime, or has closed it
   */
  @Nullable String closeInPlaceOf(Thread thread, boolean ended) {
    if (!submissionLock.takeOver(thread, () -> ended || !Whereabouts.isInside(thread))) {
      return null;
    }
    submission.takeOverParts(thread);
    String purpose = submission.purpose();
    submission.close();
    return purpose;
  }

  /** Takes the lock over from a thread that is away, see {@link #closeInPlaceOf}. */
  void takeOver(Thread thread) {
    submissionLock.takeOver(thread, () -> true);
  }

  boolean isHeldByCurrentThread() {
    return submissionLock.isHeldByCurrentThread();
  }

  /**
   * Waits until everything submitted so far is done, by {@code cuStreamSynchronize}. Meanwhile
   * holds no lock that a launch takes.
   *
   * @param purpose the reason for the wait, for errors
   * @throws CudaDriverException if some of it failed
   * @throws dev.streamfence.RuntimeClosedException if it was not known to be done when the runtime
   *     was closed
   */
  public void synchronize(String purpose) {
    synchronizeTo(submitted(), purpose);
  }

  /**
   * Waits like {@link #synchronize} for everything up to a ticket, which is queued but may not be
   * published yet.
   */
  void synchronizeTo(long ticket, String purpose) {
    progress.synchronize(ticket, purpose);
  }

  /**
   * Whether everything submitted so far is done. Does not wait; makes one driver call unless that
   * is known already.
   *
   * @throws CudaDriverException if the device is lost, or the driver call fails
   * @throws dev.streamfence.RuntimeClosedException if it was not known when the runtime was closed
   */
  public boolean isIdle() {
    pool.sticky().check();
    return progress.isIdle(submitted());
  }

  /**
   * Whether one ticket is done, and what has no event between it and later work on the stream. Does
   * not wait; asks the driver unless that is known already. A ticket that is not submitted is not
   * done.
   *
   * @throws CudaDriverException if the device is lost, or the driver call fails
   * @throws dev.streamfence.RuntimeClosedException if it was not known when the runtime was closed
   */
  public boolean isDone(long ticket) {
    if (progress.isKnown(ticket)) {
      return true;
    }
    long submitted = submitted();
    return ticket <= submitted && progress.isDone(ticket, submitted);
  }

  /**
   * Notes that a ticket is done, as the driver has told the caller. Only what is submitted counts
   * as done, and an event's ticket is submitted a little later than the event is recorded.
   */
  public void noteCompleted(long ticket) {
    progress.note(Math.min(ticket, submitted()));
  }

  /**
   * Waits until one ticket is done, and what has no event between it and later work on the stream.
   * If its submission is open, waits for that first.
   *
   * @param purpose the reason for the wait, for errors
   * @throws CudaDriverException if the device is lost, and the ticket was not known to be done
   * @throws StreamMisuseException if the ticket's submission is open in this thread, or in another
   *     thread while this thread has one open: the two could deadlock
   * @throws dev.streamfence.RuntimeClosedException if it was not known to be done when the runtime
   *     was closed
   */
  public void awaitDone(long ticket, String purpose) {
    if (progress.isKnown(ticket)) {
      return;
    }
    requireMayAwait(ticket, purpose);
    gate.await(ticket);
    progress.await(ticket, submitted(), purpose);
  }

  /**
   * Waits like {@link #awaitDone(long, String)} until a deadline, polling the driver.
   *
   * @return whether the ticket is done
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public boolean awaitDone(long ticket, String purpose, Deadline deadline)
      throws InterruptedException {
    if (ticket > submitted()) {
      requireMayAwait(ticket, purpose);
    }
    return Polling.until(deadline, () -> isDone(ticket));
  }

  /**
   * Waits until everything submitted so far is done or a deadline passes; returns whether it is
   * done.
   */
  public boolean synchronize(Deadline deadline) throws InterruptedException {
    pool.sticky().check();
    long ticket = submitted();
    return Polling.until(deadline, () -> progress.isIdle(ticket));
  }

  private void requireMayAwait(long ticket, String purpose) {
    if (isPendingInThisThread(ticket)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          purpose + " inside of it; close the launch first");
    }
    if (ticket > submitted() && !pool.life().mayWait()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          purpose
              + ", which another thread has not submitted, inside of a launch; close that launch"
              + " first");
    }
  }

  /**
   * Waits on the host until a ticket is submitted: briefly, since the thread that registered it is
   * about to submit it; but for the read of a long download, whose ticket is submitted with its
   * last piece.
   */
  void awaitSubmitted(long ticket) {
    gate.await(ticket);
  }

  /**
   * Whether no stream has to wait for a ticket, because the host has seen it done; never because of
   * that if tools are to see the order.
   */
  boolean needsNoWait(long ticket) {
    return progress.isKnown(ticket) && (ticket == 0 || !pool.isOrderingVisible());
  }

  /**
   * Queues a wait for a submitted ticket of another timeline, unless {@link #needsNoWait none is
   * needed} or that was waited for before.
   *
   * @return whether one was queued
   */
  boolean waitFor(Timeline other, long ticket, long[] scratch) {
    if (other.needsNoWait(ticket) || ring.waitedFor(other.index) >= ticket) {
      return false;
    }
    EventHandle event = other.ring.covering(ticket, other.submitted(), scratch);
    if (event == null) {
      return false;
    }
    driver.waitForEvent(stream.handle(), event);
    ring.merge(scratch);
    waits.increment();
    return true;
  }

  /**
   * Whether a wait for {@code ticket} of this timeline includes a wait for {@code otherTicket} of
   * the other.
   */
  boolean covers(long ticket, Timeline other, long otherTicket) {
    return ring.waitedForBy(ticket, other.index) >= otherTicket;
  }

  /** The ticket that the open submission gets. Held: the submission lock. */
  long nextTicket() {
    return submitted() + 1;
  }

  /**
   * Whether this thread has registered the ticket and not submitted it, which no other thread can
   * do.
   */
  boolean isPendingInThisThread(long ticket) {
    return ticket > submitted() && submissionLock.isHeldByCurrentThread();
  }

  /** Whether an event is to separate a ticket from the next one, see {@link EventRing}. */
  boolean separates(long ticket) {
    return ring.separates(ticket);
  }

  /** Records the event that covers {@code ticket}. Held: the submission lock. */
  void record(long ticket) {
    ring.record(ticket);
  }

  /**
   * Publishes a ticket as submitted, and wakes the threads that wait for it. Held: the submission
   * lock. Allocations and frees are not uses: a stream with nothing else does not count as in use.
   * Nor does a stream of the pool's own: its work is waited for before its submitter goes on.
   */
  void publish(long ticket, UseLabels labels, boolean isUse) {
    recent.note(ticket, labels);
    if (isUse && !busy && !isForTransfers()) {
      busy = true;
      pool.becameBusy();
    }
    gate.publish(ticket);
  }

  /**
   * Notes that a state has a use with this ticket and is being closed: the thread that submits the
   * ticket goes on with that.
   *
   * @return false if the ticket is submitted
   */
  boolean addClosing(HazardState closing, long ticket) {
    return gate.addClosing(closing, ticket);
  }

  /** Takes the states to go on closing: the first one, or null. Held: the submission lock. */
  @Nullable HazardState takeClosing() {
    return gate.takeClosing();
  }

  /** Publishes the ticket of a part of the open submission. Held: the submission lock. */
  void publishPart(long ticket) {
    gate.publish(ticket);
  }

  void release() {
    submissionLock.unlock();
  }

  /** Adds descriptions of the work that is submitted and not known to be done, latest first. */
  void describeOutstanding(List<String> descriptions) {
    recent.describe(completed(), submitted(), descriptions);
  }

  /**
   * Notes that the stream is returned: until its next submission it does not count as in use. Waits
   * for another thread's open submission, unless this thread has one open; the stream then still
   * counts, and a few unneeded events are recorded.
   */
  void retire() {
    if (pool.life().mayWait()) {
      submissionLock.lock();
    } else if (!submissionLock.tryLock()) {
      return;
    }
    try {
      if (busy) {
        busy = false;
        pool.becameIdle();
      }
    } finally {
      submissionLock.unlock();
    }
  }

  void destroy() {
    Teardown teardown = new Teardown();
    teardown.step(ring::destroy);
    teardown.step(this::destroyExchanged);
    if (!stream.isAdopted()) {
      teardown.step(() -> driver.destroyStream(stream.handle()));
    }
    teardown.finish();
  }

  private boolean isForTransfers() {
    return pool.isForTransfers(index);
  }

  @Override
  public String toString() {
    return name;
  }
}

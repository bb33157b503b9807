package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.CudaDriver.EventHandle;
import dev.streamfence.driver.CudaDriver.StreamHandle;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The order of one stream's work: every launch, copy, fill, allocation and free put on it has a
 * ticket, and tickets only rise.
 *
 * <p>Thread-safe. {@link #begin} takes the submission lock, which one thread holds from there to
 * {@link Submission#close}; it is never shared by two streams. Long for its documentation: most
 * methods are a line or two that say what may be assumed of the lock.
 */
public final class Timeline {
  private final StreamPool pool;
  private final int index;
  private final int priority;
  private final CudaDriver driver;
  private final StreamHandle stream;
  private final EventRing ring;
  private final ReentrantLock submissionLock = new ReentrantLock();
  private final Submission submission;
  private final Progress progress;
  private final SubmittedGate gate = new SubmittedGate();
  private final RecentWork recent = new RecentWork();
  // Guarded by the submission lock.
  private boolean busy;
  private @Nullable Thread closer;

  Timeline(StreamPool pool, int index, int priority, CudaDriver driver, StreamHandle stream) {
    this.pool = pool;
    this.index = index;
    this.priority = priority;
    this.driver = driver;
    this.stream = stream;
    this.ring = new EventRing(driver, stream, pool.capacity() + 1);
    this.submission = new Submission(this);
    this.progress = new Progress(pool, index, driver, stream, ring);
  }

  /** The stream's number, dense within its pool. */
  public int index() {
    return index;
  }

  /** The priority that it was made with: 0 for the default, lower for more urgent. */
  int priority() {
    return priority;
  }

  /** The pool that it belongs to, and with it the device. */
  public StreamPool pool() {
    return pool;
  }

  /** The driver's stream, to queue work on between preflight and commit. */
  public StreamHandle stream() {
    return stream;
  }

  /** The ticket of the last piece of work that is queued, or that never will be. */
  public long submitted() {
    return gate.submitted();
  }

  /** The highest ticket that is known to be done, without asking the driver. */
  public long completed() {
    return progress.completed();
  }

  /**
   * Starts a submission and takes the submission lock. Waits while another thread is between this
   * and {@link Submission#close} on the same stream; makes no driver call.
   *
   * @param labels how errors name it
   * @return the stream's one submission object
   * @throws StreamMisuseException if this thread has a submission open on this stream already
   * @throws CudaDriverException if the device is lost
   */
  public Submission begin(UseLabels labels) {
    pool.faults().check();
    if (submissionLock.isHeldByCurrentThread()) {
      throw new StreamMisuseException(
          labels.purpose()
              + " begins while "
              + submission.purpose()
              + " is open on the same stream in this thread; close that first");
    }
    submissionLock.lock();
    return open(labels);
  }

  /**
   * Starts a submission like {@link #begin}, or returns null when that would have to wait, be it
   * for this thread itself.
   *
   * @throws StreamMisuseException if the pool is closed
   * @throws CudaDriverException if the device is lost
   */
  public @Nullable Submission tryBegin(UseLabels labels) {
    pool.faults().check();
    if (submissionLock.isHeldByCurrentThread() || !submissionLock.tryLock()) {
      return null;
    }
    return open(labels);
  }

  private Submission open(UseLabels labels) {
    if (closer != null && closer != Thread.currentThread()) {
      submissionLock.unlock();
      throw new StreamMisuseException(labels.purpose() + " begins after the runtime was closed");
    }
    submission.open(labels);
    return submission;
  }

  /** Waits for the open submission, and refuses every later one of other threads. */
  void stopIntake() {
    submissionLock.lock();
    try {
      closer = Thread.currentThread();
    } finally {
      submissionLock.unlock();
    }
  }

  boolean isHeldByCurrentThread() {
    return submissionLock.isHeldByCurrentThread();
  }

  /**
   * Waits until everything submitted so far is done. {@code cuStreamSynchronize}; holds no lock
   * meanwhile that a launch takes.
   *
   * @param purpose what for, said in errors
   * @throws CudaDriverException if some of it failed
   * @throws StreamMisuseException if it was not known to be done when the runtime was closed
   */
  public void synchronize(String purpose) {
    synchronizeTo(submitted(), purpose);
  }

  /**
   * Waits like {@link #synchronize}, for everything up to a ticket that is queued even if it is not
   * known yet.
   */
  void synchronizeTo(long ticket, String purpose) {
    progress.synchronize(ticket, purpose);
  }

  /**
   * Whether everything submitted so far is done. Does not wait; one driver call unless it is known
   * already.
   *
   * @throws CudaDriverException if the device is lost, or the driver does not say
   * @throws StreamMisuseException if it was not known when the runtime was closed
   */
  public boolean isIdle() {
    pool.faults().check();
    return progress.isIdle(submitted());
  }

  /**
   * Whether one ticket is done, however much has been put on the stream since. Does not wait; asks
   * the driver unless it is known already. A ticket that is not submitted is not done.
   *
   * @throws CudaDriverException if the driver does not say
   * @throws StreamMisuseException if it was not known when the runtime was closed
   */
  public boolean isDone(long ticket) {
    if (progress.isKnown(ticket)) {
      return true;
    }
    long submitted = submitted();
    return ticket <= submitted && progress.isDone(ticket, submitted);
  }

  /** Notes that a ticket is done, which the caller has learnt from the driver. */
  public void noteCompleted(long ticket) {
    progress.note(ticket);
  }

  /**
   * Waits until one ticket is done, however much has been put on the stream since; first for its
   * submission, if it is open.
   *
   * @param purpose what for, said in errors
   * @throws CudaDriverException if the device is lost, and the ticket was not known to be done
   * @throws StreamMisuseException if this thread has that submission open, or it was not known to
   *     be done when the runtime was closed
   */
  public void awaitDone(long ticket, String purpose) {
    if (progress.isKnown(ticket)) {
      return;
    }
    if (isPendingInThisThread(ticket)) {
      throw new StreamMisuseException(purpose + " inside of it; close the launch first");
    }
    gate.await(ticket);
    progress.await(ticket, submitted(), purpose);
  }

  /**
   * Waits on the host until a ticket is submitted: briefly, since whoever registered it is about
   * to.
   */
  void awaitSubmitted(long ticket) {
    gate.await(ticket);
  }

  /**
   * Queues a wait for a submitted ticket of another timeline, unless it is known to be done or
   * waited for.
   */
  void waitFor(Timeline other, long ticket, long[] scratch) {
    if (other.progress.isKnown(ticket) || ring.waitedFor(other.index) >= ticket) {
      return;
    }
    EventHandle event = other.ring.covering(ticket, other.submitted(), scratch);
    driver.waitForEvent(stream, event);
    ring.merge(other.index, ticket, scratch);
  }

  /**
   * Whether whoever waits for {@code ticket} of this timeline need not wait for another one's any
   * more.
   */
  boolean covers(long ticket, Timeline other, long otherTicket) {
    return ring.waitedForBy(ticket, other.index) >= otherTicket;
  }

  /** The ticket that the open submission gets. Held: the submission lock. */
  long nextTicket() {
    return submitted() + 1;
  }

  /**
   * Whether the ticket was registered by this thread and is not submitted: nobody but this thread
   * could do that.
   */
  boolean isPendingInThisThread(long ticket) {
    return ticket > submitted() && submissionLock.isHeldByCurrentThread();
  }

  /** Records the event that covers {@code ticket}. Held: the submission lock. */
  void record(long ticket) {
    ring.record(ticket);
  }

  /**
   * Makes a ticket submitted, and wakes those who wait for that. Held: the submission lock.
   * Allocations and frees are no uses: a stream that has nothing else counts as not in use.
   */
  void publish(long ticket, UseLabels labels, boolean isUse) {
    recent.note(ticket, labels);
    if (isUse && !busy) {
      busy = true;
      pool.becameBusy();
    }
    gate.publish(ticket);
  }

  void release() {
    submissionLock.unlock();
  }

  /** Adds in words what is submitted and not known to be done, latest first. */
  void describeOutstanding(List<String> descriptions) {
    recent.describe(completed(), submitted(), descriptions);
  }

  /** Notes that the stream is given back: until its next submission it does not count as in use. */
  void retire() {
    submissionLock.lock();
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
    // Waits for who is asking, which a device that is done or lost answers at once.
    progress.end();
    Teardown teardown = new Teardown();
    teardown.step(ring::destroy);
    teardown.step(() -> driver.destroyStream(stream));
    teardown.finish();
  }

  @Override
  public String toString() {
    return "stream " + index;
  }
}

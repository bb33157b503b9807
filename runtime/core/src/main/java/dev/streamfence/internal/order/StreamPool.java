// Long because lending, transfers, waiting and closing work on the same few streams.
package dev.streamfence.internal.order;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamStatistics;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.StickyError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one device, created when first needed and lent repeatedly. Thread-safe; acquiring
 * and releasing a stream take its lock, launching does not.
 */
public final class StreamPool {
  /**
   * More streams than any device runs concurrently; the record that each stream keeps of the others
   * grows with it.
   */
  static final int MAX_CAPACITY = 1024;

  /**
   * One long transfer less than staging memory keeps going at the same time, so that short ones
   * find some.
   */
  private static final int TRANSFER_STREAMS = 3;

  /**
   * Streams of other code that can be adopted at the same time; the record that each stream keeps
   * of the others grows with it.
   */
  static final int ADOPTED_STREAMS = 16;

  /** The legacy default stream has two handles: 0, which follows a compiler option, and 1. */
  private static final long LEGACY = 1;

  /** Stands for the number of adoptions while a thread gives the stream back. */
  private static final int RETURNING = -1;

  /** The default stream of each thread is another stream in each thread. */
  private static final long PER_THREAD = 2;

  private static final AtomicLong POOLS = new AtomicLong();

  private final long number = POOLS.incrementAndGet();
  private final CudaDriver driver;
  private final StickyError sticky;
  private final HostMemoryPool hostMemory;
  private final int capacity;
  private final boolean orderingVisible;
  private final Life life;
  private final WorkObserver observer;
  private final WaitingLine returned = new WaitingLine();
  private final AtomicReferenceArray<Timeline> timelines;
  private final Deque<Timeline> free = new ArrayDeque<>();
  private final AtomicInteger inUse = new AtomicInteger();
  private final AtomicInteger waitingTransfers = new AtomicInteger();
  private int created;
  private long returns;

  /**
   * Creates the pool of a runtime without any stream.
   *
   * @param capacity how many streams may be lent at the same time, at least 1; the default stream,
   *     number 0, is not counted
   * @param orderingVisible whether a stream also waits for work that the host has seen finish
   * @param observer watches the work
   * @param runtime describes the runtime, for errors
   */
  public StreamPool(
      CudaDriver driver,
      int capacity,
      boolean orderingVisible,
      WorkObserver observer,
      Supplier<String> runtime) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "a pool of " + capacity + " streams; it has from 1 to " + MAX_CAPACITY);
    }
    this.driver = driver;
    this.sticky = driver.sticky();
    this.capacity = capacity;
    this.orderingVisible = orderingVisible;
    this.life = new Life(runtime, Visits.of(driver));
    this.observer = observer;
    this.timelines = new AtomicReferenceArray<>(capacity + 1 + TRANSFER_STREAMS + ADOPTED_STREAMS);
    this.hostMemory = new HostMemoryPool(driver, sticky);
    sticky.askForOutstanding(this::outstanding);
  }

  /** Creates the pool of a device, see the other constructor. */
  public StreamPool(CudaDriver driver, int capacity) {
    this(
        driver,
        capacity,
        false,
        WorkObserver.NONE,
        () -> "device " + driver.properties().ordinal());
  }

  /** Whether a stream also waits for work that the host has seen finish, for tools to follow. */
  public boolean isOrderingVisible() {
    return orderingVisible;
  }

  /**
   * A number that no other pool of the process has: work on several devices begins in its order.
   */
  long number() {
    return number;
  }

  /** How many streams may be lent at the same time. */
  public int capacity() {
    return capacity;
  }

  /** The device's sticky error, if it had one. */
  public StickyError sticky() {
    return sticky;
  }

  /** How long the streams may be used, and which threads use them. */
  public Life life() {
    return life;
  }

  /** Watches the work. */
  WorkObserver observer() {
    return observer;
  }

  /** Whether anything watches the work at this moment, so that none may be left out. */
  public boolean isWatched() {
    return observer.watchesWork();
  }

  /** The page-locked memory of the device, which is freed with the streams. */
  public HostMemoryPool hostMemory() {
    return hostMemory;
  }

  /** The driver of the device. */
  public CudaDriver driver() {
    return driver;
  }

  /**
   * The default stream, number 0: created at the first call, never lent, shared by all callers that
   * name no stream.
   */
  public synchronized Timeline defaultTimeline() {
    sticky.check();
    Timeline existing = timelines.get(0);
    return existing != null ? existing : create(0, 0);
  }

  /** Lends a stream of the default priority, see {@link #acquire(int)}. */
  public Timeline acquire() {
    return acquire(0);
  }

  /**
   * Lends a stream. Work of the stream's last borrower may still be queued; it runs first. If every
   * free stream has another priority, and no more may be created, one of them is exchanged.
   *
   * @param priority 0 for the default, lower for more urgent; the device has a few levels and takes
   *     the nearest
   * @throws StreamMisuseException if all are lent; or if a stream has to be exchanged that another
   *     thread is using, and this one has a launch open
   */
  public Timeline acquire(int priority) {
    Timeline other;
    synchronized (this) {
      sticky.check();
      for (Timeline returned : free) {
        if (returned.priority() == priority) {
          free.remove(returned);
          return returned;
        }
      }
      if (created < capacity) {
        Timeline timeline = create(created + 1, priority);
        created++;
        return timeline;
      }
      other = takeExchangeable();
    }
    exchange(other, priority);
    return other;
  }

  /** Takes the free stream that was returned first. Held: this. */
  private Timeline takeExchangeable() {
    for (Timeline returned : free) {
      // Other code that has adopted a stream of the pool's own knows its raw handle.
      if (returned.adoptions() == 0) {
        free.remove(returned);
        return returned;
      }
    }
    throw new StreamMisuseException(
        StreamMisuseException.Misuse.NO_STREAM_LEFT,
        "all "
            + capacity
            + " streams of the pool are in use; close one, or open the runtime with more");
  }

  /** Without the pool's lock: a thread that uses the stream may ask for another. */
  private void exchange(Timeline timeline, int priority) {
    boolean isExchanged = false;
    try {
      timeline.exchange(() -> newStream(timeline.index(), priority));
      isExchanged = true;
    } finally {
      synchronized (this) {
        if (isExchanged) {
          timeline.setPriority(priority);
        } else {
          free.addFirst(timeline);
        }
      }
    }
    try {
      timeline.destroyExchanged();
    } catch (CudaDriverException e) {
      // The new stream can be used; the next exchange or the close tries again, and reports it.
      e.during("exchanging " + timeline);
    }
  }

  /**
   * Starts a submission, see {@link Timeline#begin}, on a stream that no caller can name: for a
   * transfer whose thread copies on the host between the pieces that it queues. The stream that the
   * caller named stays free for other threads meanwhile. Waits while all such streams are in use.
   *
   * @param deadline when to stop waiting; null for no limit
   * @return null if the deadline has passed
   * @throws InterruptedException if the thread is interrupted while it waits with a deadline
   */
  public @Nullable Submission beginTransfer(UseLabels labels, @Nullable Deadline deadline)
      throws InterruptedException {
    Submission submission = tryBeginTransfer(labels, 0);
    if (submission != null) {
      return submission;
    }
    Timeline busy = busyTransferTimeline();
    return deadline == null ? busy.begin(labels) : busy.begin(labels, deadline);
  }

  private @Nullable Submission tryBeginTransfer(UseLabels labels, int first) {
    for (int i = 0; i < TRANSFER_STREAMS; i++) {
      int index = capacity + 1 + (first + i) % TRANSFER_STREAMS;
      Submission submission = transferTimeline(index).tryBegin(labels);
      if (submission != null) {
        return submission;
      }
    }
    return null;
  }

  private Timeline busyTransferTimeline() {
    int next = Math.floorMod(waitingTransfers.getAndIncrement(), TRANSFER_STREAMS);
    return timelines.get(capacity + 1 + next);
  }

  /**
   * Starts a submission like {@link #beginTransfer}, for work of another device that uses memory of
   * this one. Work of one stream there takes the same stream here if that is free, so that up to
   * three streams there with consecutive indices do not wait for each other.
   *
   * @param first the index of the stream there, which chooses among those that are free here
   * @throws StreamMisuseException if this thread has a launch or call open on this device, accesses
   *     one of its pinned arrays that is mapped or in a graph, or runs the body of a graph of it
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, which the message then names
   */
  Submission beginPeer(UseLabels labels, int first) {
    requireUsable(labels);
    life.requireNotRecording(labels::purpose);
    if (!life.mayWaitHere()) {
      throw mayNotWait(labels);
    }
    Submission begun = tryBeginTransfer(labels, first);
    return begun != null ? begun : busyTransferTimeline().beginPart(labels);
  }

  private StreamMisuseException mayNotWait(UseLabels labels) {
    String act = labels.purpose() + " uses memory of device " + driver.properties().ordinal();
    return life.isAccessing()
        ? new StreamMisuseException(
            StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
            act
                + " inside an access to a pinned array of it that is mapped or in a graph, in this"
                + " thread; end that first")
        : new StreamMisuseException(
            StreamMisuseException.Misuse.INSIDE_LAUNCH,
            act + " inside of a launch of this thread there; close that first");
  }

  /**
   * Refuses work of several devices if this one is lost.
   *
   * @throws CudaDriverException if it is, which the message then says
   */
  public void requireUsable(UseLabels labels) {
    try {
      sticky.check();
    } catch (CudaDriverException e) {
      CudaDriverException first = sticky.error();
      throw first == null
          ? e
          : first.again(
              "device " + driver.properties().ordinal() + ", for the " + labels.purpose());
    }
  }

  private Timeline transferTimeline(int index) {
    Timeline existing = timelines.get(index);
    if (existing != null) {
      return existing;
    }
    synchronized (this) {
      Timeline meanwhile = timelines.get(index);
      return meanwhile != null ? meanwhile : create(index, 0);
    }
  }

  /**
   * Takes a stream of other code into the order of this pool, until {@link #giveBack}. A stream
   * that is adopted already, or the pool's own, keeps its timeline.
   *
   * @param rawHandle a {@code CUstream}
   * @throws IllegalArgumentException if it is the default stream of each thread, or belongs to
   *     another context
   * @throws StreamMisuseException if too many are adopted, or the stream is being captured
   * @throws CudaDriverException if the driver does not know it
   */
  public synchronized Timeline adopt(long rawHandle) {
    sticky.check();
    if (rawHandle == PER_THREAD) {
      throw new IllegalArgumentException(
          "stream 2, the default stream of each thread, is another stream in each thread and cannot"
              + " be adopted; make one, or adopt the legacy default stream 1");
    }
    long handle = normalized(rawHandle);
    int unused = -1;
    long returnedFirst = Long.MAX_VALUE;
    for (int i = timelines.length() - 1; i >= 0; i--) {
      Timeline timeline = timelines.get(i);
      if (timeline != null && timeline.adoptions() != RETURNING && timeline.isOn(handle)) {
        timeline.requireNotCapturing(() -> adoption(handle));
        timeline.setAdoptions(timeline.adoptions() + 1);
        return timeline;
      }
      // The one that was returned longest ago, so that a thread that still has the closed handle
      // meets no other stream.
      if (i >= firstAdopted()
          && (timeline == null || timeline.adoptions() == 0)
          && (timeline == null ? 0 : timeline.returned()) <= returnedFirst) {
        returnedFirst = timeline == null ? 0 : timeline.returned();
        unused = i;
      }
    }
    if (unused < 0) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.NO_STREAM_LEFT,
          ADOPTED_STREAMS + " streams are adopted, the most at the same time; close one");
    }
    Timeline known = timelines.get(unused);
    return attach(
        known != null ? known : new Timeline(this, unused, 0, driver, StreamSlot.forAdopted()),
        handle);
  }

  private static String adoption(long handle) {
    return "adopting stream 0x" + Long.toHexString(handle);
  }

  /** One handle per stream: the legacy default stream has two. */
  public static long normalized(long rawHandle) {
    return rawHandle == 0 ? LEGACY : rawHandle;
  }

  private Timeline attach(Timeline unused, long handle) {
    try {
      StreamHandle stream = driver.foreignStream(handle);
      if (driver.isCapturing(stream)) {
        throw Timeline.capturing(AttemptedUse.of(adoption(handle)), "it");
      }
      unused.attach(stream);
      unused.setAdoptions(1);
      timelines.set(unused.index(), unused);
      LaunchObserver observer = driver.launchObserver();
      if (observer != null) {
        observer.numbered(stream, unused.index());
      }
      return unused;
    } catch (CudaDriverException e) {
      throw e.during(adoption(handle));
    }
  }

  /**
   * Ends one adoption of a stream; after the last one, no call uses it. Does not synchronise, but
   * waits for a launch of another thread on it.
   *
   * @throws StreamMisuseException if this thread has a launch open; the stream is still adopted
   */
  public void giveBack(Timeline timeline) {
    synchronized (this) {
      if (timeline.adoptions() > 1 || !timeline.isAdopted()) {
        timeline.setAdoptions(timeline.adoptions() - 1);
        return;
      }
      timeline.setAdoptions(RETURNING);
    }
    // Without the pool's lock: a thread that has a launch open on this stream may ask for another.
    boolean isReturned = false;
    try {
      timeline.detach();
      isReturned = true;
    } finally {
      synchronized (this) {
        timeline.setAdoptions(isReturned ? 0 : 1);
        timeline.setReturned(++returns);
      }
    }
  }

  private int firstAdopted() {
    return capacity + 1 + TRANSFER_STREAMS;
  }

  boolean isForTransfers(int index) {
    return index > capacity && index < firstAdopted();
  }

  /** A stream, in words; the number of one that callers use is its {@code DeviceStream.id()}. */
  String describe(int index) {
    if (index >= firstAdopted()) {
      return "adopted stream " + index;
    }
    return isForTransfers(index) ? "transfer stream " + (index - capacity) : "stream " + index;
  }

  /** Takes a lent stream back. Does not synchronise. */
  public void release(Timeline timeline) {
    timeline.retire();
    synchronized (this) {
      free.addLast(timeline);
    }
    returned.signal();
  }

  /** The threads that wait for a stream. */
  public WaitingLine returned() {
    return returned;
  }

  /** How many streams are lent. */
  public synchronized int lent() {
    return created - free.size();
  }

  /**
   * Waits for the work of every stream, one after another, even after one fails.
   *
   * @throws CudaDriverException the first failure, or if the device is lost
   */
  public void synchronizeAll(String purpose) {
    sticky.check();
    Teardown teardown = new Teardown();
    for (Timeline timeline : existing()) {
      teardown.step(() -> timeline.synchronize(purpose));
    }
    teardown.step(() -> noteEveryStreamAwaited(purpose));
    teardown.finish();
  }

  /**
   * Waits like {@link #synchronizeAll(String)} until a deadline, polling the driver.
   *
   * @return whether everything is done
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public boolean synchronizeAll(Deadline deadline) throws InterruptedException {
    sticky.check();
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    for (Timeline timeline : existing()) {
      if (!timeline.synchronize(deadline)) {
        return false;
      }
    }
    noteEveryStreamAwaited("waiting for every stream");
    return true;
  }

  private void noteEveryStreamAwaited(String purpose) {
    try {
      driver.everyStreamAwaited();
    } catch (CudaDriverException e) {
      throw e.during(purpose);
    }
  }

  /**
   * Waits until every submission that is open at this moment has ended, on one stream after
   * another. This thread has none open.
   */
  public void awaitSubmissions() {
    for (Timeline timeline : existing()) {
      timeline.awaitNoneOpen();
    }
  }

  /**
   * Destroys every stream and its events, and frees the page-locked memory. Nothing may be
   * submitted afterwards.
   */
  public synchronized void destroy() {
    Teardown teardown = new Teardown();
    for (int i = timelines.length() - 1; i >= 0; i--) {
      Timeline timeline = timelines.get(i);
      if (timeline != null) {
        teardown.step(timeline::destroy);
      }
    }
    for (HostMemory memory : hostMemory.drain()) {
      teardown.step(() -> driver.freeHost(memory));
    }
    teardown.finish();
  }

  /**
   * Waits until the thread that closes the runtime is alone. Closes each launch whose thread has
   * ended and, once closing has taken {@code patience}, each one whose thread is outside the
   * runtime.
   *
   * @param failures collects the failures of these closes
   * @param abandoned receives a description of each such launch and its thread
   * @param deadline when to stop waiting; null for no limit
   * @return whether it is alone
   * @throws InterruptedException if the thread is interrupted while it waits with a deadline
   */
  public boolean awaitAlone(
      Duration patience, Consumer<String> abandoned, Teardown failures, @Nullable Deadline deadline)
      throws InterruptedException {
    Deadline end = life.afterClosingBegan(patience);
    return life.awaitAlone(
        visit -> failures.step(() -> closeIfAbandoned(visit, end, abandoned)), deadline);
  }

  private void closeIfAbandoned(Visit visit, Deadline patience, Consumer<String> abandoned) {
    Thread thread = visit.owner();
    if (thread == null) {
      return;
    }
    // Read first: everything that a thread did is visible once it is seen to have ended.
    boolean ended = !thread.isAlive();
    Timeline open = visit.submitting();
    if (open == null) {
      if (ended) {
        life.evict(visit);
      }
      return;
    }
    if (!ended && (!patience.hasPassed() || Whereabouts.isInside(thread))) {
      return;
    }
    String purpose = open.closeInPlaceOf(thread, ended);
    if (purpose != null) {
      abandoned.accept(
          purpose
              + " is still open in thread '"
              + thread.getName()
              + "', which "
              + (ended ? "has ended" : "has gone on to something else")
              + "; it is closed with the runtime");
    }
  }

  /**
   * Whether the calling thread may wait for another thread's submission; a thread with an open
   * submission may not.
   */
  public boolean mayWaitForOthers() {
    return life.mayWait();
  }

  Timeline timeline(int index) {
    return timelines.get(index);
  }

  /** How many streams it may create, of all kinds: more than every index. */
  int timelines() {
    return timelines.length();
  }

  /** Whether more than one stream is in use, so that one may have to wait for another's event. */
  boolean isShared() {
    return inUse.get() > 1;
  }

  void becameBusy() {
    inUse.incrementAndGet();
  }

  void becameIdle() {
    inUse.decrementAndGet();
  }

  /** The streams that there are, by their index. */
  private List<Timeline> existing() {
    List<Timeline> existing = new ArrayList<>();
    for (int i = 0; i < timelines.length(); i++) {
      Timeline timeline = timelines.get(i);
      if (timeline != null) {
        existing.add(timeline);
      }
    }
    return existing;
  }

  private List<String> outstanding() {
    List<String> descriptions = new ArrayList<>();
    for (Timeline timeline : existing()) {
      timeline.describeOutstanding(descriptions);
    }
    return descriptions;
  }

  /**
   * Asks the driver about each stream that may have work. Does not wait.
   *
   * @throws CudaDriverException if the device is lost, or a driver call fails
   */
  public void askAll() {
    for (Timeline timeline : existing()) {
      if (!timeline.isReturned()) {
        timeline.isIdle();
      }
    }
  }

  /** The counts of each stream that exists. */
  public List<StreamStatistics> statistics() {
    return existing().stream().map(Timeline::statistics).toList();
  }

  private Timeline create(int index, int priority) {
    Timeline timeline =
        new Timeline(this, index, priority, driver, StreamSlot.of(newStream(index, priority)));
    timelines.set(index, timeline);
    return timeline;
  }

  private StreamHandle newStream(int index, int priority) {
    try {
      StreamHandle stream = driver.createStream(priority);
      LaunchObserver observer = driver.launchObserver();
      if (observer != null) {
        observer.numbered(stream, index);
      }
      return stream;
    } catch (CudaDriverException e) {
      throw e.during("making stream " + index);
    }
  }
}

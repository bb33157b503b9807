package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.driver.CudaDriver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one device, made when first needed and lent out again and again. Thread-safe; its
 * lock is taken to acquire and to release a stream, never to launch.
 */
public final class StreamPool {
  /** More than any device runs side by side; what each stream knows of the others grows with it. */
  private static final int MAX_CAPACITY = 1024;

  private final CudaDriver driver;
  private final FaultLatch faults;
  private final int capacity;
  private final Life life;
  private final AtomicReferenceArray<Timeline> timelines;
  private final Deque<Timeline> free = new ArrayDeque<>();
  private final AtomicInteger inUse = new AtomicInteger();
  private int created;

  /**
   * Creates the pool of a runtime without making any stream.
   *
   * @param capacity how many streams may be lent at the same time, at least 1; the stream with
   *     number 0, which belongs to nobody, is not counted
   * @param runtime describes the runtime, for errors
   */
  public StreamPool(CudaDriver driver, FaultLatch faults, int capacity, Supplier<String> runtime) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "a pool of " + capacity + " streams; it has from 1 to " + MAX_CAPACITY);
    }
    this.driver = driver;
    this.faults = faults;
    this.capacity = capacity;
    this.life = new Life(runtime);
    this.timelines = new AtomicReferenceArray<>(capacity + 1);
    faults.askForOutstanding(this::outstanding);
  }

  /** Creates the pool of a device, see the other constructor. */
  public StreamPool(CudaDriver driver, FaultLatch faults, int capacity) {
    this(driver, faults, capacity, () -> "device " + driver.properties().ordinal());
  }

  /** How many streams may be lent at the same time. */
  public int capacity() {
    return capacity;
  }

  /** The device's fatal error, if it had one. */
  public FaultLatch faults() {
    return faults;
  }

  /** How long the streams may be used, and who uses them. */
  public Life life() {
    return life;
  }

  /** The driver of the device. */
  public CudaDriver driver() {
    return driver;
  }

  /**
   * The stream with number 0: made at the first call, never lent, shared by everybody who names
   * none of their own.
   */
  public synchronized Timeline defaultTimeline() {
    faults.check();
    Timeline existing = timelines.get(0);
    return existing != null ? existing : create(0, 0);
  }

  /** Lends a stream of the default priority, see {@link #acquire(int)}. */
  public Timeline acquire() {
    return acquire(0);
  }

  /**
   * Lends a stream. Work of the stream's last borrower may still be queued; it comes first.
   *
   * @param priority 0 for the default, lower for more urgent; the device has a few levels and takes
   *     the nearest
   * @throws StreamMisuseException if all are lent, or those that are not have another priority
   */
  public synchronized Timeline acquire(int priority) {
    faults.check();
    for (Timeline returned : free) {
      if (returned.priority() == priority) {
        free.remove(returned);
        return returned;
      }
    }
    if (created == capacity) {
      throw new StreamMisuseException(
          "all "
              + capacity
              + " streams of the pool are in use"
              + (free.isEmpty() ? "" : " or have another priority than " + priority)
              + "; close one, or open the runtime with more");
    }
    Timeline timeline = create(created + 1, priority);
    created++;
    return timeline;
  }

  /** Takes a lent stream back. Does not synchronise. */
  public void release(Timeline timeline) {
    timeline.retire();
    synchronized (this) {
      free.addLast(timeline);
    }
  }

  /** How many streams are lent. */
  public synchronized int lent() {
    return created - free.size();
  }

  /**
   * Waits for the work of every stream, one after another, also of those behind one that fails.
   *
   * @throws CudaDriverException the first failure, or that the device is lost
   */
  public void synchronizeAll(String purpose) {
    faults.check();
    Teardown teardown = new Teardown();
    for (int i = 0; i <= capacity; i++) {
      Timeline timeline = timelines.get(i);
      if (timeline != null) {
        teardown.step(() -> timeline.synchronize(purpose));
      }
    }
    teardown.finish();
  }

  /**
   * Waits like {@link #synchronizeAll(String)}, until a deadline, asking the driver now and then.
   *
   * @return whether everything is done
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  public boolean synchronizeAll(Deadline deadline) throws InterruptedException {
    faults.check();
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    for (int i = 0; i <= capacity; i++) {
      Timeline timeline = timelines.get(i);
      if (timeline != null && !timeline.synchronize(deadline)) {
        return false;
      }
    }
    return true;
  }

  /** Destroys every stream and its events; nothing may be submitted any more. */
  public synchronized void destroy() {
    Teardown teardown = new Teardown();
    for (int i = capacity; i >= 0; i--) {
      Timeline timeline = timelines.get(i);
      if (timeline != null) {
        teardown.step(timeline::destroy);
      }
    }
    teardown.finish();
  }

  /**
   * Waits until the thread that closes the runtime is alone. A launch whose thread has ended is
   * closed in that thread's place; so is one that is still open when the closing has taken as long
   * as {@code patience}, while its thread does something else.
   *
   * @param failures takes what goes wrong with that
   * @param abandoned is told of such a launch and its thread, in words
   * @param deadline until when; null for as long as it takes
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
    // First: what a thread did before it ended is visible once it is seen to have ended.
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
   * Whether the calling thread may wait until another thread has submitted its work; one that has a
   * submission open itself may not.
   */
  public boolean mayWaitForOthers() {
    return life.mayWait();
  }

  Timeline timeline(int index) {
    return timelines.get(index);
  }

  /** Whether more than one stream is in use, so that somebody may have to wait for an event. */
  boolean isShared() {
    return inUse.get() > 1;
  }

  void becameBusy() {
    inUse.incrementAndGet();
  }

  void becameIdle() {
    inUse.decrementAndGet();
  }

  private List<String> outstanding() {
    List<String> descriptions = new ArrayList<>();
    for (int i = 0; i <= capacity; i++) {
      Timeline timeline = timelines.get(i);
      if (timeline != null) {
        timeline.describeOutstanding(descriptions);
      }
    }
    return descriptions;
  }

  private Timeline create(int index, int priority) {
    try {
      Timeline timeline =
          new Timeline(this, index, priority, driver, driver.createStream(priority));
      timelines.set(index, timeline);
      return timeline;
    } catch (CudaDriverException e) {
      throw faults.note(e, "making stream " + index);
    }
  }
}

package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.driver.CudaDriver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

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
  private final AtomicReferenceArray<Timeline> timelines;
  private final Deque<Timeline> free = new ArrayDeque<>();
  private final AtomicInteger inUse = new AtomicInteger();
  private int created;
  private boolean closed;

  /**
   * Creates a pool without making any stream.
   *
   * @param capacity how many streams may be lent at the same time, at least 1; the stream with
   *     number 0, which belongs to nobody, is not counted
   */
  public StreamPool(CudaDriver driver, FaultLatch faults, int capacity) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "a pool of " + capacity + " streams; it has from 1 to " + MAX_CAPACITY);
    }
    this.driver = driver;
    this.faults = faults;
    this.capacity = capacity;
    this.timelines = new AtomicReferenceArray<>(capacity + 1);
    faults.askForOutstanding(this::outstanding);
  }

  /** How many streams may be lent at the same time. */
  public int capacity() {
    return capacity;
  }

  /** The device's fatal error, if it had one. */
  public FaultLatch faults() {
    return faults;
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
    requireOpen();
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
    requireOpen();
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
   * Refuses every later submission of other threads, and waits for the open ones.
   *
   * @throws StreamMisuseException if this thread has one open; nothing has changed then
   */
  public void stopIntake() {
    if (isHeldByCurrentThread()) {
      throw new StreamMisuseException(
          "a runtime is closed by a thread that has a launch open on it; commit that first");
    }
    synchronized (this) {
      closed = true;
    }
    for (int i = 0; i <= capacity; i++) {
      Timeline timeline = timelines.get(i);
      if (timeline != null) {
        timeline.stopIntake();
      }
    }
  }

  /**
   * Whether the calling thread has a submission open on any stream, and so must not wait for
   * another one.
   */
  public boolean isHeldByCurrentThread() {
    for (int i = 0; i <= capacity; i++) {
      Timeline timeline = timelines.get(i);
      if (timeline != null && timeline.isHeldByCurrentThread()) {
        return true;
      }
    }
    return false;
  }

  private void requireOpen() {
    if (closed) {
      throw new StreamMisuseException("a stream is asked for after the runtime was closed");
    }
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

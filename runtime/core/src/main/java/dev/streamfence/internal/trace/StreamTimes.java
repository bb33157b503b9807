package dev.streamfence.internal.trace;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.trace.DeviceTimes.Timing;
import dev.streamfence.trace.TracedWork;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one stream, which end in the order in which they began. Thread-safe: its own
 * lock guards it, which only the stream's submitter and a reader of the times take. That of {@code
 * idle} is taken last, as another stream may give back a timing of this one.
 */
final class StreamTimes {
  /** So many pieces of work of one stream are measured at the same time. */
  static final int MOST_PENDING = 1024;

  /** From so many on, a submission looks whether the oldest are done. */
  private static final int MANY_PENDING = 16;

  /** Work that the device is working on, and for how long. Immutable. */
  record Running(TracedWork work, long nanos) {}

  private final DeviceTimes times;
  private final CudaDriver driver;
  private final Deque<Timing> idle = new ArrayDeque<>();
  private final Deque<Timing> pending = new ArrayDeque<>();

  private int created;
  private boolean closed;

  StreamTimes(DeviceTimes times, CudaDriver driver) {
    this.times = times;
    this.driver = driver;
  }

  /** Records the event before a piece of work; null if too many are pending. */
  @Nullable Timing begin(Timeline timeline) {
    Timing timing = take();
    if (timing == null) {
      return null;
    }
    boolean isRecorded = false;
    try {
      // Without the lock: the driver blocks while the device has too much to do.
      driver.recordEvent(timing.start, timeline.stream());
      isRecorded = true;
    } finally {
      if (!isRecorded) {
        giveBack(timing);
      }
    }
    return timing;
  }

  private synchronized @Nullable Timing take() {
    if (closed) {
      return null;
    }
    if (pending.size() >= MANY_PENDING) {
      fetch();
    }
    Timing timing;
    synchronized (idle) {
      timing = idle.pollFirst();
    }
    if (timing == null && created < MOST_PENDING) {
      timing = create();
    }
    if (timing != null) {
      timing.reuse();
    }
    return timing;
  }

  private Timing create() {
    EventHandle start = driver.createTimedEvent();
    boolean isComplete = false;
    try {
      Timing timing = new Timing(this, start, driver.createTimedEvent());
      isComplete = true;
      created++;
      return timing;
    } finally {
      if (!isComplete) {
        driver.destroyEvent(start);
      }
    }
  }

  void giveBack(Timing timing) {
    synchronized (idle) {
      idle.addFirst(timing);
    }
  }

  /** Adds a piece of work that the device carries out. Two threads may swap their turns. */
  synchronized void add(Timing timing) {
    Timing last = pending.peekLast();
    if (last == null || !last.isAfter(timing)) {
      pending.addLast(timing);
    } else {
      pending.removeLast();
      add(timing);
      pending.addLast(last);
    }
  }

  synchronized void refresh() {
    if (!closed) {
      fetch();
    }
  }

  /**
   * The work that the device is working on, if it runs for longer than a limit; else null.
   *
   * @param isNewAlone whether only what no such call has returned counts
   */
  synchronized @Nullable Running running(long limitNanos, boolean isNewAlone) {
    if (closed) {
      return null;
    }
    fetch();
    Timing oldest = pending.peekFirst();
    try {
      return oldest == null || !driver.isEventComplete(oldest.start)
          ? null
          : oldest.running(driver.nanoTime(), limitNanos, isNewAlone);
    } catch (CudaDriverException e) {
      driver.sticky().swallowed(e);
      return null;
    }
  }

  /** Fetches the times of the oldest pieces of work, up to the first that is not done. */
  private void fetch() {
    try {
      for (Timing oldest = pending.peekFirst();
          oldest != null && driver.isEventComplete(oldest.end);
          oldest = pending.peekFirst()) {
        measure(pending.removeFirst());
      }
    } catch (CudaDriverException e) {
      // The device is lost: the runtime says so, and the rest has no times.
      driver.sticky().swallowed(e);
    }
  }

  private void measure(Timing timing) {
    @Nullable Timing unused = timing;
    try {
      unused = times.measure(timing);
    } catch (CudaDriverException e) {
      driver.sticky().swallowed(e);
    } finally {
      if (unused != null) {
        unused.stream.giveBack(unused);
      }
    }
  }

  /** Destroys all events but those of the reference. Nothing is measured any more. */
  synchronized void close(Teardown teardown) {
    closed = true;
    synchronized (idle) {
      idle.addAll(pending);
      pending.clear();
      for (Timing timing : idle) {
        teardown.step(() -> driver.destroyEvent(timing.start));
        teardown.step(() -> driver.destroyEvent(timing.end));
      }
      idle.clear();
    }
  }
}

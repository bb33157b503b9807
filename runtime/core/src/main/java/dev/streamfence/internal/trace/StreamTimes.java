package dev.streamfence.internal.trace;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.trace.DeviceTimes.Timing;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one stream, which end in the order in which they began. Thread-safe: its own
 * lock guards it, which only the stream's submitter and a reader of the times take.
 */
final class StreamTimes {
  /** So many pieces of work of one stream are measured at the same time. */
  static final int MOST_PENDING = 1024;

  /** From so many on, a submission looks whether the oldest are done. */
  private static final int MANY_PENDING = 16;

  /**
   * The driver gives the time between two events as a number of milliseconds with 24 bits: over
   * half a second that is exact to 30 ns. So the reference moves on with the work.
   */
  private static final float FAR_MILLIS = 500;

  private static final double NANOS_PER_MILLI = 1e6;

  /** Work that the device is working on, and for how long. Immutable. */
  record Running(Timing timing, long nanos) {}

  private final DeviceTimes times;
  private final CudaDriver driver;
  private final Deque<Timing> idle = new ArrayDeque<>();
  private final Deque<Timing> pending = new ArrayDeque<>();

  /** The event of which the time is known. */
  private EventHandle reference;

  private double referenceNanos;

  /** Whose start is the reference; null while that is the origin of all streams. */
  private @Nullable Timing referenceOwner;

  private int created;
  private boolean closed;

  StreamTimes(DeviceTimes times, CudaDriver driver, EventHandle origin, long originNanos) {
    this.times = times;
    this.driver = driver;
    this.reference = origin;
    this.referenceNanos = originNanos;
  }

  /** Records the event before a piece of work; null if too many are pending. */
  synchronized @Nullable Timing begin(Timeline timeline) {
    if (closed) {
      return null;
    }
    if (pending.size() >= MANY_PENDING) {
      fetch();
    }
    Timing timing = idle.pollFirst();
    if (timing == null) {
      if (created == MOST_PENDING) {
        return null;
      }
      timing = create();
    }
    boolean isRecorded = false;
    try {
      driver.recordEvent(timing.start, timeline.stream());
      isRecorded = true;
    } finally {
      if (!isRecorded) {
        idle.addFirst(timing);
      }
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

  synchronized void giveBack(Timing timing) {
    idle.addFirst(timing);
  }

  synchronized void add(Timing timing) {
    pending.addLast(timing);
  }

  synchronized void refresh() {
    if (!closed) {
      fetch();
    }
  }

  /** The work that the device is working on; null if it is not known to work on any. */
  synchronized @Nullable Running running() {
    if (closed) {
      return null;
    }
    fetch();
    Timing oldest = pending.peekFirst();
    try {
      if (oldest == null || !driver.isEventComplete(oldest.start)) {
        return null;
      }
      double start =
          referenceNanos + driver.elapsedMillis(reference, oldest.start) * NANOS_PER_MILLI;
      return new Running(oldest, Math.round(driver.nanoTime() - start));
    } catch (CudaDriverException e) {
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
    }
  }

  private void measure(Timing timing) {
    @Nullable Timing unused = timing;
    try {
      float sinceReference = driver.elapsedMillis(reference, timing.start);
      double start = referenceNanos + sinceReference * NANOS_PER_MILLI;
      double nanos = driver.elapsedMillis(timing.start, timing.end) * NANOS_PER_MILLI;
      timing.measured(Math.round(start), Math.max(0, Math.round(nanos)), times);
      if (sinceReference > FAR_MILLIS) {
        unused = referenceOwner;
        reference = timing.start;
        referenceNanos = start;
        referenceOwner = timing;
      }
    } catch (CudaDriverException e) {
      // Not measured.
    } finally {
      if (unused != null) {
        idle.addLast(unused);
      }
    }
  }

  synchronized void close(Teardown teardown) {
    teardown.step(this::fetch);
    closed = true;
    idle.addAll(pending);
    pending.clear();
    if (referenceOwner != null) {
      idle.add(referenceOwner);
      referenceOwner = null;
    }
    for (Timing timing : idle) {
      teardown.step(() -> driver.destroyEvent(timing.start));
      teardown.step(() -> driver.destroyEvent(timing.end));
    }
    idle.clear();
  }
}

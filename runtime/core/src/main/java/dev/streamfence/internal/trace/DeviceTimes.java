package dev.streamfence.internal.trace;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.trace.KernelTime;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When the device carries out work, measured by two events around each piece. The events of a
 * stream are reused. A piece of work is not measured if the driver refuses an event, or if {@link
 * StreamTimes#MOST_PENDING} others of its stream are not done: a measurement never waits, and never
 * fails the work. Thread-safe.
 */
final class DeviceTimes {
  /** Two events around one piece of work. Belongs to the submitting thread until it is pending. */
  static final class Timing {
    final StreamTimes stream;
    final EventHandle start;
    final EventHandle end;
    private @Nullable TracedWork work;
    private long submittedAt;
    private RecordedTrace.@Nullable Entry entry;
    private @Nullable RecordedTrace trace;
    private String name = "";

    // Guarded by the stream's times.
    private long seenRunningAt;
    private boolean isReported;

    Timing(StreamTimes stream, EventHandle start, EventHandle end) {
      this.stream = stream;
      this.start = start;
      this.end = end;
    }

    /** Receives the measured times, in nanoseconds of the host's clock. */
    void measured(long startedAt, long nanos, DeviceTimes times) {
      TracedWork measured = work;
      if (measured == null) {
        return;
      }
      if (entry != null && trace != null) {
        entry.executed(new TraceSpan(startedAt - trace.beganAt(), nanos));
      }
      FlightEvents.deviceTime(measured, startedAt - submittedAt, nanos);
      if (measured.kind() == WorkKind.LAUNCH) {
        times.kernels.computeIfAbsent(name, kernel -> new Sum()).add(nanos);
      }
      work = null;
      entry = null;
      trace = null;
    }

    /**
     * The work, which the device has begun and not ended, if it runs for longer than a limit.
     *
     * @param now the host's clock, which does not drift against itself as the device's may
     * @param isNewAlone whether only what no such call has returned counts
     */
    StreamTimes.@Nullable Running running(long now, long limitNanos, boolean isNewAlone) {
      if (seenRunningAt == 0) {
        seenRunningAt = now;
      }
      TracedWork running = work;
      long nanos = now - seenRunningAt;
      if (running == null || nanos <= limitNanos || (isNewAlone && isReported)) {
        return null;
      }
      isReported |= isNewAlone;
      return new StreamTimes.Running(running, nanos);
    }

    /** Whether its work follows that of another one on their stream. */
    boolean isAfter(Timing other) {
      return requireNonNull(work).ticket() > requireNonNull(other.work).ticket();
    }

    /** Prepares it for other work. */
    void reuse() {
      seenRunningAt = 0;
      isReported = false;
    }
  }

  private static final int WARM_UP = 3;

  /**
   * The driver gives the time between two events as a number of milliseconds with 24 bits: over
   * half a second that is exact to 30 ns. So the reference moves on with the work. After an idle
   * minute it is exact to 4 µs, and all later times are as far off together. Times that are read a
   * minute after the reference has moved on are each exact to 4 µs; durations are always exact.
   */
  private static final float FAR_MILLIS = 500;

  private static final double NANOS_PER_MILLI = 1e6;

  private static final class Sum {
    private final AtomicLong launches = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong longest = new AtomicLong();

    private void add(long more) {
      launches.incrementAndGet();
      nanos.addAndGet(more);
      longest.accumulateAndGet(more, Math::max);
    }
  }

  private final CudaDriver driver;
  private final Map<Timeline, StreamTimes> streams = new ConcurrentHashMap<>();
  private final Map<String, Sum> kernels = new ConcurrentHashMap<>();
  private @Nullable EventHandle origin;

  /**
   * The event of which the time is known, of whichever stream: all times relate to one, so that
   * those of different streams can be compared. Guarded by {@code clock}.
   */
  private final Object clock = new Object();

  private @Nullable EventHandle reference;
  private double referenceNanos;
  private @Nullable Timing referenceOwner;

  DeviceTimes(CudaDriver driver) {
    this.driver = driver;
  }

  /** Relates the device's clock to the host's. Called once, before anything is measured. */
  void start(Timeline timeline) {
    EventHandle event = driver.createTimedEvent();
    try {
      for (int i = 0; i < WARM_UP; i++) {
        // The device records the event at some moment in between, which the first time is long.
        long before = driver.nanoTime();
        driver.recordEvent(event, timeline.stream());
        driver.synchronizeEvent(event);
        referenceNanos = before + (driver.nanoTime() - before) / 2.0;
      }
      reference = event;
      origin = event;
    } finally {
      if (origin == null) {
        driver.destroyEvent(event);
      }
    }
  }

  /** Measures what is put on the stream next; null if that is not possible now. */
  @Nullable Timing begin(Timeline timeline) {
    if (origin == null) {
      return null;
    }
    try {
      return streams.computeIfAbsent(timeline, on -> new StreamTimes(this, driver)).begin(timeline);
    } catch (CudaDriverException e) {
      driver.sticky().swallowed(e);
      return null;
    } catch (Error e) {
      return null;
    }
  }

  /** Ends a measurement; null if the driver has refused the event. */
  @Nullable Timing end(Timing timing, Timeline timeline) {
    try {
      driver.recordEvent(timing.end, timeline.stream());
      return timing;
    } catch (CudaDriverException e) {
      driver.sticky().swallowed(e);
    } catch (RuntimeException | Error e) {
      // The work is queued, and has no time.
    }
    timing.stream.giveBack(timing);
    return null;
  }

  /** Keeps a measurement until the work is done. */
  void submitted(
      Timing timing,
      TracedWork work,
      String name,
      long submittedAt,
      @Nullable RecordedTrace trace,
      RecordedTrace.@Nullable Entry entry) {
    timing.work = work;
    timing.name = name;
    timing.submittedAt = submittedAt;
    timing.trace = trace;
    timing.entry = entry;
    timing.stream.add(timing);
  }

  /**
   * Reads the times of a piece of work that is done.
   *
   * @return a timing that is not used any more: that one, or the one whose event was the reference
   *     so far; null for none
   */
  @Nullable Timing measure(Timing timing) {
    synchronized (clock) {
      float sinceReference = driver.elapsedMillis(requireNonNull(reference), timing.start);
      double start = referenceNanos + sinceReference * NANOS_PER_MILLI;
      double nanos = driver.elapsedMillis(timing.start, timing.end) * NANOS_PER_MILLI;
      if (start < timing.submittedAt) {
        // The device cannot have begun before the host: so much at least is the reference too
        // early.
        if (sinceReference >= -FAR_MILLIS) {
          referenceNanos += timing.submittedAt - start;
        }
        start = timing.submittedAt;
      }
      timing.measured(Math.round(start), Math.max(0, Math.round(nanos)), this);
      if (sinceReference <= FAR_MILLIS) {
        return timing;
      }
      Timing former = referenceOwner;
      reference = timing.start;
      referenceNanos = start;
      referenceOwner = timing;
      return former;
    }
  }

  /** Fetches what is done. Does not wait. */
  void refresh() {
    streams.values().forEach(StreamTimes::refresh);
  }

  /**
   * The work that the device has worked on for longer than a limit.
   *
   * @param isNewAlone whether only what no such call has returned counts
   */
  List<StreamTimes.Running> overdue(long limitNanos, boolean isNewAlone) {
    List<StreamTimes.Running> overdue = new ArrayList<>();
    for (StreamTimes stream : streams.values()) {
      StreamTimes.Running running = stream.running(limitNanos, isNewAlone);
      if (running != null) {
        overdue.add(running);
      }
    }
    return overdue;
  }

  List<KernelTime> kernelTimes() {
    return kernels.entrySet().stream()
        .map(
            each ->
                new KernelTime(
                    each.getKey(),
                    each.getValue().launches.get(),
                    Duration.ofNanos(each.getValue().nanos.get()),
                    Duration.ofNanos(each.getValue().longest.get())))
        .sorted(Comparator.comparing(KernelTime::total).reversed())
        .toList();
  }

  void close(Teardown teardown) {
    Collection<StreamTimes> all = streams.values();
    // The last times of a stream may give back a timing of another one.
    all.forEach(each -> teardown.step(each::refresh));
    all.forEach(each -> each.close(teardown));
    Timing last = referenceOwner;
    if (last != null) {
      referenceOwner = null;
      teardown.step(() -> driver.destroyEvent(last.start));
      teardown.step(() -> driver.destroyEvent(last.end));
    }
    EventHandle first = origin;
    if (first != null) {
      origin = null;
      teardown.step(() -> driver.destroyEvent(first));
    }
  }
}

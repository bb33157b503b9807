package dev.streamfence.internal.trace;

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
        times.kernels.computeIfAbsent(measured.name(), name -> new Sum()).add(nanos);
      }
      work = null;
      isReported = false;
      entry = null;
      trace = null;
    }
  }

  private static final int WARM_UP = 3;

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

  /** The host's clock when the origin was recorded. */
  private long originNanos;

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
        originNanos = before + (driver.nanoTime() - before) / 2;
      }
      origin = event;
    } finally {
      if (origin == null) {
        driver.destroyEvent(event);
      }
    }
  }

  /** Measures what is put on the stream next; null if that is not possible now. */
  @Nullable Timing begin(Timeline timeline) {
    EventHandle from = origin;
    if (from == null) {
      return null;
    }
    try {
      return streams
          .computeIfAbsent(timeline, on -> new StreamTimes(this, driver, from, originNanos))
          .begin(timeline);
    } catch (CudaDriverException | Error e) {
      return null;
    }
  }

  /** Ends a measurement; null if the driver has refused the event. */
  @Nullable Timing end(Timing timing, Timeline timeline) {
    try {
      driver.recordEvent(timing.end, timeline.stream());
      return timing;
    } catch (CudaDriverException | Error e) {
      timing.stream.giveBack(timing);
      return null;
    }
  }

  /** Keeps a measurement until the work is done. */
  void submitted(
      Timing timing,
      TracedWork work,
      long submittedAt,
      @Nullable RecordedTrace trace,
      RecordedTrace.@Nullable Entry entry) {
    timing.work = work;
    timing.submittedAt = submittedAt;
    timing.trace = trace;
    timing.entry = entry;
    timing.stream.add(timing);
  }

  /** Fetches what is done. Does not wait. */
  void refresh() {
    streams.values().forEach(StreamTimes::refresh);
  }

  /**
   * Visits the work that the device has worked on for longer than a limit.
   *
   * @param visitor receives the work, for how long it runs, and whether that is new
   */
  void overdue(long limitNanos, OverdueVisitor visitor) {
    for (StreamTimes stream : streams.values()) {
      StreamTimes.Running running = stream.running();
      if (running == null || running.nanos() <= limitNanos) {
        continue;
      }
      TracedWork work = running.timing().work;
      if (work != null) {
        boolean isNew = !running.timing().isReported;
        running.timing().isReported = true;
        visitor.overdue(work, running.nanos(), isNew);
      }
    }
  }

  /** Receives work that runs for long. */
  interface OverdueVisitor {
    void overdue(TracedWork work, long nanos, boolean isNew);
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
    all.forEach(each -> each.close(teardown));
    EventHandle first = origin;
    if (first != null) {
      origin = null;
      teardown.step(() -> driver.destroyEvent(first));
    }
  }
}

package dev.streamfence.internal.trace;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceHealth.OverdueWork;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostRanges;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.memory.MemoryObserver;
import dev.streamfence.internal.order.ObservedWork;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.internal.order.WorkObserver;
import dev.streamfence.internal.pressure.PressureObserver;
import dev.streamfence.launch.Access;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.trace.KernelTime;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the work of one runtime into a trace, into events for JDK Flight Recorder, and into times
 * per kernel, as far as each is asked for. Thread-safe.
 */
public final class WorkTracer implements WorkObserver, MemoryObserver, PressureObserver {
  private final String device;
  private final CudaDriver driver;
  private final @Nullable RecordedTrace trace;
  private final @Nullable DeviceTimes times;
  private final @Nullable HostRanges ranges;

  /**
   * Creates an observer.
   *
   * @param device describes the runtime
   * @param trace keeps the work; null if nothing does
   * @param isTimed whether the work is measured on the device
   */
  public WorkTracer(
      String device, CudaDriver driver, @Nullable RecordedTrace trace, boolean isTimed) {
    this.device = device;
    this.driver = driver;
    this.trace = trace;
    this.times = isTimed ? new DeviceTimes(driver) : null;
    this.ranges = driver.hostRanges();
  }

  /** Prepares the measurements: waits for the device once, if they were asked for. */
  public void start(Timeline timeline) {
    if (times != null) {
      times.start(timeline);
    }
  }

  @Override
  public boolean watchesWork() {
    return trace != null || times != null || ranges != null || FlightEvents.observesWork();
  }

  @Override
  public @Nullable ObservedWork watch(Timeline timeline, UseLabels labels) {
    try {
      if (!watchesWork()) {
        return null;
      }
      return new Watched(timeline, labels.facts());
    } catch (RuntimeException | Error e) {
      // The work matters more than its trace.
      return null;
    }
  }

  @Override
  public boolean isOn() {
    return trace != null || FlightEvents.observesMemory();
  }

  @Override
  public void record(AllocationRecord record) {
    FlightEvents.memory(device, record);
    if (trace != null && record.isOk() && record.action() != AllocationRecord.Action.REAP) {
      boolean isAllocated = record.action() == AllocationRecord.Action.ALLOCATE;
      trace.addMemory(
          device,
          driver.nanoTime(),
          isAllocated ? record.bytes() : -record.bytes(),
          record.tag(),
          record.stream());
    }
  }

  /** A wait for memory or the copy of a spilled array that has begun. Immutable. */
  private record Pressure(TracedPressure.Kind kind, long begun, @Nullable Object flight) {}

  @Override
  public @Nullable Object begin(TracedPressure.Kind kind) {
    try {
      Object flight = FlightEvents.beginPressure(kind);
      return trace == null && flight == null ? null : new Pressure(kind, driver.nanoTime(), flight);
    } catch (RuntimeException | Error e) {
      // What it waits for matters more than its trace.
      return null;
    }
  }

  @Override
  public void end(
      @Nullable Object begun,
      String task,
      String what,
      long bytes,
      TracedPressure.Outcome outcome) {
    if (!(begun instanceof Pressure pressure)) {
      return;
    }
    try {
      long start = trace == null ? 0 : pressure.begun() - trace.beganAt();
      TracedPressure ended =
          new TracedPressure(
              device,
              pressure.kind(),
              what,
              bytes,
              Thread.currentThread().getName(),
              new TraceSpan(start, driver.nanoTime() - pressure.begun()),
              outcome);
      FlightEvents.endPressure(pressure.flight(), ended, task);
      if (trace != null) {
        trace.add(ended);
      }
    } catch (RuntimeException | Error e) {
      if (trace != null) {
        trace.noteForgotten();
      }
    }
  }

  /** Fetches the times of the work that is done. Does not wait. */
  public void refresh() {
    if (times != null) {
      times.refresh();
    }
  }

  /**
   * The work that the device has worked on for longer than a limit.
   *
   * @param isNewAlone whether to leave out what this method has returned before
   */
  public List<OverdueWork> overdue(Duration limit, boolean isNewAlone) {
    if (times == null) {
      return List.of();
    }
    return times.overdue(limit.toNanos(), isNewAlone).stream()
        .map(each -> new OverdueWork(each.work().toString(), Duration.ofNanos(each.nanos())))
        .toList();
  }

  /** The times per kernel so far; empty unless they are measured. */
  public List<KernelTime> kernelTimes() {
    return times == null ? List.of() : times.kernelTimes();
  }

  /** Gives the events back. All work is done, or the device is lost. */
  public void close(Teardown teardown) {
    if (times != null) {
      times.close(teardown);
    }
  }

  /** One piece of work on its way. */
  private final class Watched extends ObservedWork {
    private final long begun = driver.nanoTime();
    private final Thread thread = Thread.currentThread();
    private final @Nullable Object flight;
    private WorkFacts facts;
    private boolean isQueued;
    private DeviceTimes.@Nullable Timing timing;

    private Watched(Timeline timeline, WorkFacts facts) {
      super(timeline);
      // A recorder still has the grid of its last launch.
      this.facts =
          new WorkFacts(
              facts.kind(), facts.name(), facts.qualifiedName(), facts.bytes(), "", facts.graph());
      this.flight = FlightEvents.beginWork(facts.kind());
      if (ranges != null) {
        ranges.push(facts.qualifiedName());
      }
    }

    @Override
    public void queuing(WorkFacts now) {
      facts = now;
      if (times != null && isTimed(now.kind())) {
        timing = times.begin(timeline());
      }
    }

    @Override
    public void queued() {
      isQueued = true;
      if (timing != null) {
        timing = requireTimes().end(timing, timeline());
      }
    }

    @Override
    public void dropped() {
      try {
        // The thread that closes the runtime may end what another one has begun.
        if (ranges != null && Thread.currentThread() == thread) {
          ranges.pop();
        }
      } catch (RuntimeException | Error e) {
        // The work matters more than its range.
      }
    }

    @Override
    public void ended(long firstTicket, long ticket) {
      dropped();
      boolean isPending = false;
      try {
        if (trace == null && times == null && !FlightEvents.observesWork()) {
          return;
        }
        TracedWork work = work(firstTicket, ticket);
        FlightEvents.endWork(flight, work);
        RecordedTrace.Entry entry = trace == null ? null : trace.add(work);
        if (timing != null && isQueued) {
          requireTimes().submitted(timing, work, facts.qualifiedName(), begun, trace, entry);
          isPending = true;
        }
      } catch (RuntimeException | Error e) {
        if (trace != null) {
          trace.noteForgotten();
        }
      } finally {
        if (timing != null && !isPending) {
          timing.stream.giveBack(timing);
        }
      }
    }

    private DeviceTimes requireTimes() {
      return requireNonNull(times);
    }

    private TracedWork work(long firstTicket, long ticket) {
      List<TracedUse> uses = new ArrayList<>(uses().size());
      for (Use use : uses()) {
        uses.add(
            new TracedUse(
                use.parameter(), use.tag(), use.memory(), access(use.reads(), use.writes())));
      }
      List<TracedDependency> dependencies = new ArrayList<>();
      dependencies(
          (use, earlier, earlierTicket, earlierWrites, satisfied) ->
              dependencies.add(
                  new TracedDependency(
                      use < 0 ? "" : uses.get(use).name(),
                      earlierWrites,
                      use >= 0 && uses.get(use).access().writes(),
                      earlier.index(),
                      earlierTicket,
                      "",
                      WorkKind.OTHER,
                      satisfied)));
      long start = trace == null ? 0 : begun - trace.beganAt();
      return new TracedWork(
          device,
          facts.kind(),
          facts.name(),
          facts.detail(),
          facts.bytes(),
          timeline().index(),
          timeline().toString(),
          firstTicket,
          ticket,
          thread.getName(),
          new TraceSpan(start, driver.nanoTime() - begun),
          null,
          uses,
          dependencies,
          isQueued,
          facts.graph());
    }
  }

  /** Allocations and frees in stream order take the device no time worth two events. */
  private static boolean isTimed(WorkKind kind) {
    return switch (kind) {
      case LAUNCH, UPLOAD, DOWNLOAD, COPY, FILL, GRAPH, CALL -> true;
      case ALLOCATION, FREE, CONDITION, OTHER -> false;
    };
  }

  private static Access access(boolean reads, boolean writes) {
    if (!writes) {
      return Access.READ;
    }
    return reads ? Access.READ_WRITE : Access.WRITE;
  }
}

package dev.streamfence.internal.jfr;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceHealth.OverdueWork;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.internal.jfr.MemoryEvent.AllocationEvent;
import dev.streamfence.internal.jfr.MemoryEvent.FreeEvent;
import dev.streamfence.internal.jfr.OrderEvent.DependencyEvent;
import dev.streamfence.internal.jfr.OrderEvent.StreamWaitEvent;
import dev.streamfence.internal.jfr.PressureEvent.MemoryWaitEvent;
import dev.streamfence.internal.jfr.PressureEvent.SpillEvent;
import dev.streamfence.internal.jfr.PressureEvent.SpillReturnEvent;
import dev.streamfence.internal.jfr.PressureEvent.SpilledArrayEvent;
import dev.streamfence.internal.jfr.WorkEvent.KernelLaunchEvent;
import dev.streamfence.internal.jfr.WorkEvent.StreamWorkEvent;
import dev.streamfence.internal.jfr.WorkEvent.TransferEvent;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import org.jspecify.annotations.Nullable;

/** Fills in the events. Loaded only where the module {@code jdk.jfr} is. Thread-safe. */
final class FlightWriter {
  private FlightWriter() {}

  static boolean observesWork() {
    return KernelLaunchEvent.PROBE.isEnabled()
        || TransferEvent.PROBE.isEnabled()
        || StreamWorkEvent.PROBE.isEnabled()
        || StreamWaitEvent.PROBE.isEnabled()
        || DependencyEvent.PROBE.isEnabled()
        || DeviceTimeEvent.PROBE.isEnabled();
  }

  static boolean observesMemory() {
    return AllocationEvent.PROBE.isEnabled()
        || FreeEvent.PROBE.isEnabled()
        || ReclaimEvent.PROBE.isEnabled();
  }

  static @Nullable Object beginWork(WorkKind kind) {
    WorkEvent event =
        switch (kind) {
          case LAUNCH -> KernelLaunchEvent.PROBE.isEnabled() ? new KernelLaunchEvent() : null;
          case UPLOAD, DOWNLOAD, COPY, FILL ->
              TransferEvent.PROBE.isEnabled() ? new TransferEvent() : null;
          case ALLOCATION, FREE, GRAPH, CONDITION, CALL, OTHER ->
              StreamWorkEvent.PROBE.isEnabled() ? new StreamWorkEvent() : null;
        };
    if (event != null) {
      event.begin();
    }
    return event;
  }

  static void endWork(@Nullable Object begun, TracedWork work) {
    if (begun instanceof WorkEvent event) {
      event.end();
      if (event.shouldCommit()) {
        event.device = work.device();
        event.stream = work.stream();
        event.streamName = work.streamName();
        event.firstTicket = work.firstTicket();
        event.ticket = work.ticket();
        event.queued = work.isQueued();
        event.uses = FlightText.of(work.uses());
        fill(event, work);
        event.commit();
      }
    }
    for (TracedDependency dependency : work.dependencies()) {
      emit(dependency, work);
    }
  }

  private static void fill(WorkEvent event, TracedWork work) {
    if (event instanceof KernelLaunchEvent launch) {
      launch.kernel = work.name();
      launch.shape = work.detail();
    } else if (event instanceof TransferEvent transfer) {
      transfer.kind = work.kind().name();
      transfer.bytes = work.bytes();
      transfer.detail = work.detail();
    } else if (event instanceof StreamWorkEvent other) {
      other.kind = work.kind().name();
      other.work = work.name();
      other.bytes = work.bytes();
      other.detail = work.detail();
      GraphStructure graph = work.graph();
      other.graph = graph == null ? 0 : graph.number();
    }
  }

  private static void emit(TracedDependency dependency, TracedWork work) {
    if (dependency.satisfied() == Satisfied.BY_WAIT) {
      emit(new StreamWaitEvent(), dependency, work);
    } else {
      DependencyEvent event = new DependencyEvent();
      event.satisfied = dependency.satisfied().name();
      emit(event, dependency, work);
    }
  }

  private static void emit(OrderEvent event, TracedDependency dependency, TracedWork work) {
    if (event.shouldCommit()) {
      event.device = work.device();
      event.work = work.name();
      event.stream = work.stream();
      event.ticket = work.ticket();
      event.earlierStream = dependency.stream();
      event.earlierTicket = dependency.ticket();
      event.array = dependency.array();
      event.earlierWrites = dependency.earlierWrites();
      event.laterWrites = dependency.laterWrites();
      event.commit();
    }
  }

  static void deviceTime(TracedWork work, long queueNanos, long executionNanos) {
    DeviceTimeEvent event = new DeviceTimeEvent();
    if (event.shouldCommit()) {
      event.device = work.device();
      event.stream = work.stream();
      event.ticket = work.ticket();
      event.work = work.name();
      event.queueTime = queueNanos;
      event.executionTime = executionNanos;
      event.commit();
    }
  }

  static void memory(String device, AllocationRecord record) {
    switch (record.action()) {
      case ALLOCATE -> emit(new AllocationEvent(), device, record);
      case DEALLOCATE -> emit(new FreeEvent(), device, record);
      case REAP -> reclaim(device, record);
    }
  }

  private static void emit(MemoryEvent event, String device, AllocationRecord record) {
    if (event.shouldCommit()) {
      event.device = device;
      event.stream = record.stream();
      event.bytes = record.bytes();
      event.tag = record.tag();
      event.generation = record.generation();
      event.error = record.error();
      event.commit();
    }
  }

  private static void reclaim(String device, AllocationRecord record) {
    ReclaimEvent event = new ReclaimEvent();
    if (event.shouldCommit()) {
      event.device = device;
      event.bytes = record.bytes();
      event.error = record.error();
      event.commit();
    }
  }

  static @Nullable Object beginModuleLoad() {
    return ModuleLoadEvent.PROBE.isEnabled() ? begin(new ModuleLoadEvent()) : null;
  }

  static void endModuleLoad(Object begun, String module, long bytes) {
    ModuleLoadEvent event = (ModuleLoadEvent) begun;
    event.module = module;
    event.bytes = bytes;
    event.commit();
  }

  static @Nullable Object beginGraphRecording() {
    return GraphRecordingEvent.PROBE.isEnabled() ? begin(new GraphRecordingEvent()) : null;
  }

  static void endGraphRecording(Object begun, GraphStructure graph, int impliedEdges) {
    GraphRecordingEvent event = (GraphRecordingEvent) begun;
    event.end();
    event.graph = graph.number();
    event.graphName = graph.name();
    event.nodeCount = graph.nodes().size();
    event.edgeCount = graph.edges().size();
    event.impliedEdges = impliedEdges;
    event.nodes = FlightText.nodes(graph);
    event.edges = FlightText.edges(graph);
    event.commit();
  }

  static @Nullable Object beginStagingShortage() {
    return StagingShortageEvent.PROBE.isEnabled() ? begin(new StagingShortageEvent()) : null;
  }

  static @Nullable Object beginPressure(TracedPressure.Kind kind) {
    PressureEvent event =
        switch (kind) {
          case WAIT -> MemoryWaitEvent.PROBE.isEnabled() ? new MemoryWaitEvent() : null;
          case SPILL -> SpillEvent.PROBE.isEnabled() ? new SpillEvent() : null;
          case RETURN -> SpillReturnEvent.PROBE.isEnabled() ? new SpillReturnEvent() : null;
        };
    return event == null ? null : begin(event);
  }

  static void endPressure(Object begun, TracedPressure ended, String task) {
    PressureEvent event = (PressureEvent) begun;
    event.device = ended.device();
    event.bytes = ended.bytes();
    if (event instanceof MemoryWaitEvent wait) {
      wait.task = task;
      wait.request = ended.what();
      wait.ending = ended.outcome().name();
    } else if (event instanceof SpilledArrayEvent spilled) {
      spilled.array = ended.what();
      spilled.place = ended.outcome().name();
    }
    event.commit();
  }

  static @Nullable Object beginLockWait() {
    return LockWaitEvent.PROBE.isEnabled() ? begin(new LockWaitEvent()) : null;
  }

  static void endWait(Object begun) {
    ((FlightEvent) begun).commit();
  }

  private static FlightEvent begin(FlightEvent event) {
    event.begin();
    return event;
  }

  static void overdue(OverdueWork overdue) {
    OverdueWorkEvent event = new OverdueWorkEvent();
    if (event.shouldCommit()) {
      event.work = overdue.work();
      event.running = overdue.running().toNanos();
      event.commit();
    }
  }

  static void fault(CudaDriverException fault) {
    DeviceFaultEvent event = new DeviceFaultEvent();
    if (event.shouldCommit()) {
      event.call = fault.call();
      event.code = fault.codeName();
      event.purpose = fault.purpose();
      event.outstanding = String.join("\n", fault.outstanding());
      event.commit();
    }
  }
}

package dev.streamfence.internal.jfr;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceHealth.OverdueWork;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Emits the events for JDK Flight Recorder: does nothing, and makes no object, while no recording
 * asks for an event, or where the module {@code jdk.jfr} is missing. Thread-safe; no method waits.
 */
public final class FlightEvents {
  /** What the names of all events begin with. */
  static final String PREFIX = "dev.streamfence.";

  private static final boolean PRESENT =
      ModuleLayer.boot().findModule("jdk.jfr").isPresent()
          && FlightEvents.class.getModule().canRead(ModuleLayer.boot().findModule("jdk.jfr").get());

  /** Loaded only where the module {@code jdk.jfr} is. */
  private static final class Recorder {
    static boolean isUsed() {
      return FlightRecorder.isInitialized();
    }
  }

  private FlightEvents() {}

  /** Whether there is a flight recorder in this process. */
  public static boolean isPresent() {
    return PRESENT;
  }

  /**
   * Whether the flight recorder was used so far. The first touch of an event's class makes it read
   * its descriptions, which takes some hundredths of a second that most programs need not spend.
   */
  private static boolean isUsed() {
    return PRESENT && Recorder.isUsed();
  }

  /** Whether a recording asks for events of work on streams. */
  public static boolean observesWork() {
    return isUsed() && FlightWriter.observesWork();
  }

  /** Whether a recording asks for events of device memory. */
  public static boolean observesMemory() {
    return isUsed() && FlightWriter.observesMemory();
  }

  /**
   * Begins the event of a piece of work.
   *
   * @return to be passed to {@link #endWork}; null if no recording asks for it
   */
  public static @Nullable Object beginWork(WorkKind kind) {
    return isUsed() ? FlightWriter.beginWork(kind) : null;
  }

  /** Ends the event of a piece of work, and emits those of what it comes after. */
  public static void endWork(@Nullable Object begun, TracedWork work) {
    if (isUsed()) {
      FlightWriter.endWork(begun, work);
    }
  }

  /**
   * Emits when the device has carried out a piece of work.
   *
   * @param queueNanos from the beginning of its submission to the beginning of its execution
   */
  public static void deviceTime(TracedWork work, long queueNanos, long executionNanos) {
    if (isUsed()) {
      FlightWriter.deviceTime(work, queueNanos, executionNanos);
    }
  }

  /** Emits an allocation, a free or a reclaim. */
  public static void memory(String device, AllocationRecord record) {
    if (isUsed()) {
      FlightWriter.memory(device, record);
    }
  }

  /** Begins an event with a duration; null if no recording asks for it. */
  public static @Nullable Object beginModuleLoad() {
    return isUsed() ? FlightWriter.beginModuleLoad() : null;
  }

  /** Ends the load of a module. */
  public static void endModuleLoad(@Nullable Object begun, String module, long bytes) {
    if (begun != null) {
      emit(() -> FlightWriter.endModuleLoad(begun, module, bytes));
    }
  }

  /** Begins the recording of a graph; null if no recording asks for it. */
  public static @Nullable Object beginGraphRecording() {
    return isUsed() ? FlightWriter.beginGraphRecording() : null;
  }

  /** Ends the recording of a graph. */
  public static void endGraphRecording(
      @Nullable Object begun, GraphStructure graph, int impliedEdges) {
    if (begun != null) {
      emit(() -> FlightWriter.endGraphRecording(begun, graph, impliedEdges));
    }
  }

  /** Begins a wait for staging memory; null if no recording asks for it. */
  public static @Nullable Object beginStagingShortage() {
    return isUsed() ? FlightWriter.beginStagingShortage() : null;
  }

  /**
   * Begins a task's wait for memory, or the copy of an array that leaves the device or comes back;
   * null if no recording asks for it.
   */
  public static @Nullable Object beginPressure(TracedPressure.Kind kind) {
    return isUsed() ? FlightWriter.beginPressure(kind) : null;
  }

  /**
   * Ends what {@link #beginPressure} has begun.
   *
   * @param task the task that has waited; empty for a copy
   */
  public static void endPressure(@Nullable Object begun, TracedPressure ended, String task) {
    if (begun != null) {
      emit(() -> FlightWriter.endPressure(begun, ended, task));
    }
  }

  /** Begins a wait for another thread's submission; null if no recording asks for it. */
  public static @Nullable Object beginLockWait() {
    return isUsed() ? FlightWriter.beginLockWait() : null;
  }

  /** Ends a wait for staging memory or for another thread's submission. */
  public static void endWait(@Nullable Object begun) {
    if (begun != null) {
      try {
        FlightWriter.endWait(begun);
      } catch (RuntimeException | Error e) {
        // The caller holds a lock by now, so a missing event must not throw. A lambda for emit()
        // may
        // find no room.
      }
    }
  }

  /** Emits that work runs longer than the watchdog allows. */
  public static void overdue(OverdueWork overdue) {
    if (isUsed()) {
      FlightWriter.overdue(overdue);
    }
  }

  /** Emits the error that ends the use of a device. */
  public static void fault(CudaDriverException fault) {
    if (isUsed()) {
      emit(() -> FlightWriter.fault(fault));
    }
  }

  /** A module that is loaded, a lock that is taken, a fault: each matters more than its event. */
  private static void emit(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error e) {
      // Such as for lack of memory: the event is missing.
    }
  }
}

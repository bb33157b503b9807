package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.simulation.DriverCall;
import org.jspecify.annotations.Nullable;

/**
 * Whether a simulated device accepts calls: until it is closed or a fault ends it, and unless the
 * fault plan makes the call fail. Confined to the driver's lock.
 */
final class DeviceState {
  private final FaultPlan plan;
  private final Scheduler scheduler;
  private @Nullable CudaDriverException fault;
  private boolean closed;
  private String lastCall = "";

  DeviceState(FaultPlan plan, Scheduler scheduler) {
    this.plan = plan;
    this.scheduler = scheduler;
  }

  /**
   * Counts a call, and throws if the device is lost or the plan makes this call fail. Throws
   * without counting if the device is closed.
   */
  void enter(DriverCall call) {
    if (closed) {
      throw error(call, ResultCode.DEINITIALIZED, "the device is closed");
    }
    lastCall = call.function();
    plan.enter(call);
    if (fault != null) {
      throw new CudaDriverException(
          call.function(), fault.code(), fault.codeName(), fault.purpose(), fault.getCause());
    }
  }

  /** Counts a call like {@link #enter(DriverCall)}, and returns its stream. */
  SimulatedStream enter(DriverCall call, StreamHandle stream) {
    enter(call);
    if (stream instanceof SimulatedStream known && scheduler.has(known)) {
      return known;
    }
    throw error(call, ResultCode.INVALID_HANDLE, "a stream that does not exist here");
  }

  /** Makes the first fault sticky; queued work will never run. */
  void lose(CudaDriverException first) {
    if (fault == null) {
      fault = first;
      scheduler.abandonAll();
    }
  }

  /** Ends the device because the simulation itself failed, for example for lack of Java memory. */
  void breakDown(String call, String what, Throwable failure) {
    int code = ResultCode.LAUNCH_FAILED;
    DeviceException cause =
        new DeviceException("the simulated device ended with " + failure, failure);
    lose(new CudaDriverException(call, code, ResultCode.name(code), what, cause));
  }

  /** Ends the device because a driver call did not complete. */
  void breakDown(Throwable failure) {
    breakDown(lastCall, "a call that may have done a part of its work", failure);
  }

  void requireNoFault() {
    if (fault != null) {
      throw fault;
    }
  }

  /** Whether the device accepts calls. */
  boolean isUsable() {
    return !closed && fault == null;
  }

  /** Closes the device; returns whether it was open. */
  boolean end() {
    boolean wasOpen = !closed;
    closed = true;
    return wasOpen;
  }

  static void requireArgument(DriverCall call, boolean valid, String what) {
    if (!valid) {
      throw error(call, ResultCode.INVALID_VALUE, what);
    }
  }

  static CudaDriverException error(DriverCall call, int code, String what) {
    return new CudaDriverException(call.function(), code, ResultCode.name(code), what, null);
  }
}

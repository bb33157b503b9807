package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import dev.streamfence.simulation.DriverCall;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether a simulated device accepts calls: until it is closed or a fault ends it, and unless the
 * fault plan makes the call fail. Confined to the driver's lock.
 */
final class DeviceState {
  private final FaultPlan plan;
  private final Scheduler scheduler;
  private final SubmissionOrder order;

  /** How the device was lost: the error of each call from then on. */
  private @Nullable Function<DriverCall, CudaDriverException> loss;

  /** Whether a call of the runtime has returned the error. */
  private boolean isLossKnown;

  private boolean closed;

  /** The call that is being made, or was made last. */
  private DriverCall call = DriverCall.SYNCHRONIZE_DEVICE;

  DeviceState(FaultPlan plan, Scheduler scheduler, SubmissionOrder order) {
    this.plan = plan;
    this.scheduler = scheduler;
    this.order = order;
  }

  /**
   * Counts a call, and throws if the device is lost or the plan makes this call fail. Throws
   * without counting if the device is closed.
   */
  void enter(DriverCall entered) {
    if (closed) {
      throw error(entered, ResultCode.DEINITIALIZED, "the device is closed");
    }
    call = entered;
    plan.enter(call);
    requireNoFault();
  }

  /** Says which call of the driver other code makes, for errors: it is not counted. */
  void enterForeign(DriverCall entered) {
    call = entered;
  }

  /** The call that is being made. */
  DriverCall call() {
    return call;
  }

  /** The stream of a call, which a GPU would capture or refuse while other code captures it. */
  SimulatedStream stream(StreamHandle stream) {
    SimulatedStream known = capturable(stream);
    if (known.isCapturing()) {
      throw error(ResultCode.STREAM_CAPTURE_UNSUPPORTED, "a stream that is being captured");
    }
    return known;
  }

  /** The stream of a call that is made during a capture as well. */
  SimulatedStream capturable(StreamHandle stream) {
    if (stream instanceof SimulatedStream known && scheduler.has(known)) {
      return known;
    }
    throw error(ResultCode.INVALID_HANDLE, "a stream that does not exist here");
  }

  /**
   * Makes the first fault sticky; queued work will never run.
   *
   * @param culprit what was done wrong, by which operation
   */
  void lose(int code, DeviceException culprit) {
    lose(call -> error(call, code, "", culprit));
  }

  /** Makes a finding sticky. */
  void lose(Finding finding) {
    int code = ResultCode.LAUNCH_FAILED;
    lose(call -> new RacyAccessException(call.function(), code, ResultCode.name(code), finding));
  }

  private void lose(Function<DriverCall, CudaDriverException> error) {
    if (loss == null) {
      loss = error;
      scheduler.abandonAll();
      // Other devices of the machine go on with memory that this one used.
      scheduler.forEach(stream -> order.ended(stream.clock()));
    }
  }

  /** Ends the device because the simulation itself failed, for example for lack of Java memory. */
  void breakDown(String where, Throwable failure) {
    lose(
        ResultCode.LAUNCH_FAILED,
        new DeviceException("the simulated device ended " + where + " with " + failure, failure));
  }

  /** Ends the device because a driver call did not complete. */
  void breakDown(Throwable failure) {
    breakDown("in " + call.function() + ", which may have done a part of its work,", failure);
  }

  /** Throws if the device is lost, like {@link #requireNoFault(DriverCall)} for this call. */
  void requireNoFault() {
    requireNoFault(call);
  }

  /** Throws if the device is lost; the error leads with the culprit and names this call last. */
  void requireNoFault(DriverCall call) {
    CudaDriverException fault = fault(call);
    if (fault != null) {
      isLossKnown = true;
      throw fault;
    }
  }

  /** The error of a call on the lost device; null while it is usable. */
  @Nullable CudaDriverException fault(DriverCall call) {
    return loss == null ? null : loss.apply(call);
  }

  /** Throws if the device was lost, and no call of the runtime has returned that. */
  void requireNoSilentFault() {
    if (!isLossKnown) {
      requireNoFault(DriverCall.SYNCHRONIZE_DEVICE);
    }
  }

  /** Whether the device accepts calls. */
  boolean isUsable() {
    return !closed && loss == null;
  }

  /** Closes the device; returns whether it was open. */
  boolean end() {
    boolean wasOpen = !closed;
    closed = true;
    return wasOpen;
  }

  /** Refuses an argument of this call. */
  void requireArgument(boolean valid, String what) {
    requireArgument(call, valid, what);
  }

  /** The error of this call. */
  CudaDriverException error(int code, String what) {
    return error(call, code, what);
  }

  static void requireArgument(DriverCall call, boolean valid, String what) {
    if (!valid) {
      throw error(call, ResultCode.INVALID_VALUE, what);
    }
  }

  static CudaDriverException error(DriverCall call, int code, String what) {
    return error(call, code, what, null);
  }

  private static CudaDriverException error(
      DriverCall call, int code, String what, @Nullable Throwable cause) {
    return new CudaDriverException(call.function(), code, ResultCode.name(code), what, cause);
  }
}

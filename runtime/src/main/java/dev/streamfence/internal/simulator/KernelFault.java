package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.simulation.DriverCall;

/**
 * Converts a thread's fault into the sticky error that every later driver call returns, with a
 * description of what the thread did.
 */
final class KernelFault {
  private KernelFault() {}

  static CudaDriverException of(DriverCall call, PtxFault fault, String module) {
    DeviceException what = describe(fault, module);
    int code =
        switch (fault.reason()) {
          case GLOBAL_ACCESS, SHARED_ACCESS, LOCAL_ACCESS, CONSTANT_ACCESS ->
              ResultCode.ILLEGAL_ADDRESS;
          case MISALIGNED -> ResultCode.MISALIGNED_ADDRESS;
          case ASSERT -> ResultCode.ASSERT;
          case INSTRUCTION_LIMIT, INTERRUPTED, BARRIER_DIVERGENCE -> ResultCode.LAUNCH_TIMEOUT;
          case TRAP, CALL_DEPTH -> ResultCode.LAUNCH_FAILED;
        };
    return new CudaDriverException(
        call.function(),
        code,
        ResultCode.name(code),
        "an asynchronous launch of " + fault.entry(),
        what);
  }

  /** The driver error for a wrong access, whether of a kernel or not. */
  static CudaDriverException of(Finding finding) {
    return new CudaDriverException(
        DriverCall.LAUNCH_KERNEL.function(),
        ResultCode.LAUNCH_FAILED,
        ResultCode.name(ResultCode.LAUNCH_FAILED),
        "an asynchronous operation, " + finding.second().what(),
        new RacyAccessException(finding));
  }

  private static DeviceException describe(PtxFault fault, String module) {
    String thread =
        "block ("
            + fault.blockX()
            + ", "
            + fault.blockY()
            + ", "
            + fault.blockZ()
            + "), thread ("
            + fault.threadX()
            + ", "
            + fault.threadY()
            + ", "
            + fault.threadZ()
            + ")";
    String where = module + " line " + fault.line();
    String advice =
        fault.reason() == PtxFault.Reason.INSTRUCTION_LIMIT
            ? "; SimulatedDevice.Builder.instructionsPerLaunch sets the budget"
            : "";
    return switch (fault.reason()) {
      case GLOBAL_ACCESS, SHARED_ACCESS, LOCAL_ACCESS, CONSTANT_ACCESS, MISALIGNED -> {
        Throwable cause = fault.getCause();
        yield new OutOfBoundsException(
            fault.entry(),
            thread,
            fault.address(),
            (cause == null ? fault.getMessage() : cause.getMessage()) + " (" + where + ")");
      }
      default ->
          new DeviceException(
              "kernel "
                  + fault.entry()
                  + ", "
                  + thread
                  + ": "
                  + fault.getMessage()
                  + " ("
                  + where
                  + ")"
                  + advice,
              fault);
    };
  }
}

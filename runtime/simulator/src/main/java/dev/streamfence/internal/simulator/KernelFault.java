package dev.streamfence.internal.simulator;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Describes the fault of a thread for the error that ends the device: which launch, which thread,
 * what it did, to which argument, and where in the code.
 */
final class KernelFault {
  /** A table of arrays may have thousands. */
  private static final int MOST_NAMED = 16;

  private KernelFault() {}

  /** The result that a GPU gives for such a fault. */
  static int code(PtxFault fault) {
    return switch (fault.reason()) {
      case GLOBAL_ACCESS, SHARED_ACCESS, LOCAL_ACCESS, CONSTANT_ACCESS ->
          ResultCode.ILLEGAL_ADDRESS;
      case MISALIGNED -> ResultCode.MISALIGNED_ADDRESS;
      case ASSERT -> ResultCode.ASSERT;
      case INSTRUCTION_LIMIT, INTERRUPTED, BARRIER_DIVERGENCE -> ResultCode.LAUNCH_TIMEOUT;
      case TRAP, CALL_DEPTH -> ResultCode.LAUNCH_FAILED;
    };
  }

  static DeviceException describe(PtxFault fault, Submitted op, SimulatedModule module) {
    String launch = op.what() + (op.ticket() == 0 ? "" : " (ticket " + op.ticket() + ")");
    String thread =
        ("block (" + fault.blockX() + ", " + fault.blockY() + ", " + fault.blockZ() + "), ")
            + ("thread ("
                + fault.threadX()
                + ", "
                + fault.threadY()
                + ", "
                + fault.threadZ()
                + ")");
    String place = " (" + module.place(fault.instruction(), fault.line()) + ")";
    return switch (fault.reason()) {
      case GLOBAL_ACCESS ->
          new OutOfBoundsException(
              fault.entry(),
              launch,
              thread,
              fault.address(),
              global(fault) + nearest(fault, op.uses()) + place);
      case SHARED_ACCESS, LOCAL_ACCESS, CONSTANT_ACCESS, MISALIGNED ->
          new OutOfBoundsException(
              fault.entry(),
              launch,
              thread,
              fault.address(),
              fault.fact()
                  + ", at address 0x"
                  + Long.toHexString(fault.address())
                  + place
                  + arguments(op.uses()));
      default ->
          new DeviceException(
              "kernel "
                  + launch
                  + ", "
                  + thread
                  + ": "
                  + fault.fact()
                  + place
                  + advice(fault)
                  + arguments(op.uses()),
              fault);
    };
  }

  private static String advice(PtxFault fault) {
    return fault.reason() == PtxFault.Reason.INSTRUCTION_LIMIT
        ? "; SimulatedDevice.Builder.instructionsPerLaunch sets the budget"
        : "";
  }

  /** The memory's own words for the refusal. */
  private static String global(PtxFault fault) {
    Throwable refusal = fault.getCause();
    return refusal == null ? fault.fact() : String.valueOf(refusal.getMessage());
  }

  /** Names the argument that lies nearest to the address, which an index led there most likely. */
  private static String nearest(PtxFault fault, List<Use> uses) {
    Use nearest = null;
    for (Use use : uses) {
      if (nearest == null || Submitted.isNearer(use, nearest, fault.address())) {
        nearest = use;
      }
    }
    if (nearest == null) {
      return "";
    }
    return Math.abs(fault.address()) < Submitted.distance(nearest, fault.address())
        ? "; no argument is near; an @Optional array that is null has the address 0"
        : "; the nearest argument is " + inWords(nearest);
  }

  private static String arguments(List<Use> uses) {
    String named =
        uses.stream()
            .limit(MOST_NAMED)
            .map(KernelFault::inWords)
            .collect(Collectors.joining(" and "));
    return uses.isEmpty()
        ? ""
        : "; it got "
            + named
            + (uses.size() > MOST_NAMED ? " and " + (uses.size() - MOST_NAMED) + " more" : "");
  }

  private static String inWords(Use use) {
    return "'" + use.parameter() + "', " + argument(use);
  }

  private static String argument(Use use) {
    if (use.argument().isEmpty()) {
      return "0x" + Long.toHexString(use.address());
    }
    return use.argument() + (use.address() == 0 ? ", whose address is 0" : "");
  }
}

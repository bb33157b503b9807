package dev.streamfence.internal.simulator;

import static dev.streamfence.internal.simulator.DeviceState.requireArgument;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.machine.PtxGrid;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.simulator.Declarations.Declaration;
import dev.streamfence.internal.simulator.SimulatedModule.Function;
import dev.streamfence.simulation.DriverCall;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The driver call that launches a kernel, and the kernel's run. Confined to the driver's lock. */
final class Launches {
  private final DeviceProperties properties;
  private final DeviceState state;
  private final Submissions submissions;
  private final MappedMemory memory;
  private final @Nullable RaceChecker checker;
  private final Declarations declarations = new Declarations();

  Launches(
      DeviceProperties properties,
      DeviceState state,
      Submissions submissions,
      MappedMemory memory,
      @Nullable RaceChecker checker) {
    this.properties = properties;
    this.state = state;
    this.submissions = submissions;
    this.memory = memory;
    this.checker = checker;
  }

  /** Receives what launches declare, if that is checked; any thread may call it. */
  @Nullable LaunchObserver observer() {
    return checker == null ? null : declarations;
  }

  void launch(
      FunctionHandle function,
      boolean cooperative,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int dynamicSharedBytes,
      StreamHandle stream,
      HostMemory parameters) {
    DriverCall call = DriverCall.launch(cooperative);
    Declaration declaration = declarations.take(stream);
    SimulatedStream known = state.enter(call, stream);
    Function kernel = (Function) function;
    long threads = (long) blockX * blockY * blockZ;
    requireArgument(
        call,
        Math.min(Math.min(gridX, gridY), gridZ) > 0
            && Math.min(Math.min(blockX, blockY), blockZ) > 0
            && gridY <= properties.maxGridY()
            && gridZ <= properties.maxGridZ()
            && blockZ <= properties.maxBlockZ()
            && threads <= properties.maxThreadsPerBlock(),
        "the shape is outside the device's limits");
    Optional<BlockLimit> limit = kernel.entry().blockLimit();
    requireArgument(
        call,
        limit.isEmpty() || limit.get().allows(blockX, blockY, blockZ),
        "the kernel allows other blocks");
    requireArgument(
        call,
        dynamicSharedBytes <= kernel.allowedDynamicSharedBytes(),
        dynamicSharedBytes + " bytes of dynamic shared memory are not allowed");
    if (cooperative) {
      requireResident(
          (long) gridX * gridY * gridZ,
          Residency.blocks((int) threads, kernel.entry().staticSharedBytes() + dynamicSharedBytes));
    }
    byte[] arguments = kernel.arguments(parameters);
    PtxGrid grid = new PtxGrid(gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicSharedBytes);
    Submitted op =
        declaration == null
            ? submissions.submit(known, kernel.entry().name(), 0, kernel.pointers(arguments), false)
            : submissions.submit(
                known, declaration.purpose(), declaration.ticket(), declaration.uses(), true);
    submissions.work(known, call, op, () -> run(op, kernel, cooperative, grid, arguments));
  }

  private void requireResident(long blocks, int perMultiprocessor) {
    if (blocks > (long) perMultiprocessor * properties.multiprocessors()) {
      int code = ResultCode.COOPERATIVE_LAUNCH_TOO_LARGE;
      String call = DriverCall.LAUNCH_COOPERATIVE_KERNEL.function();
      throw new CudaDriverException(call, code, ResultCode.name(code));
    }
  }

  private void run(
      Submitted op, Function kernel, boolean cooperative, PtxGrid grid, byte[] arguments) {
    SimulatedModule module = kernel.module();
    String entry = kernel.entry().name();
    LaunchAccesses accesses = checker == null ? null : checker.begin(memory, op);
    PtxFault thrown = null;
    try {
      GlobalMemory seen = accesses == null ? memory : accesses;
      if (cooperative) {
        module.instance().runTogether(entry, grid, arguments, seen);
      } else {
        module.instance().run(entry, grid, arguments, seen);
      }
    } catch (PtxFault e) {
      thrown = e;
    }
    if (checker != null && accesses != null) {
      checker.launched(op, accesses);
    }
    if (thrown != null
        && !(thrown.getCause() instanceof IllegalAccess refusal
            && submissions.isExplained(op, refusal))) {
      state.lose(KernelFault.of(DriverCall.launch(cooperative), thrown, module.name()));
    }
  }
}

package dev.streamfence.internal.simulator;

import static dev.streamfence.internal.simulator.DeviceState.requireArgument;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.simulator.Declarations.LaunchDeclaration;
import dev.streamfence.internal.simulator.SimulatedModule.KernelFunction;
import dev.streamfence.internal.simulator.schedule.ModelledTime;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
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

  /** Receives what launches declare; any thread may call it. */
  Declarations observer() {
    return declarations;
  }

  /** A launch with the arguments that it had when it was read. */
  interface ReadLaunch {
    /** Queues it; the runtime may have declared the uses. */
    void put(SimulatedStream stream, @Nullable LaunchDeclaration declaration);
  }

  /** Queues a launch, of which the runtime may have declared the uses. */
  void launch(KernelLaunch launch, @Nullable LaunchDeclaration declaration) {
    SimulatedStream known = state.stream(launch.stream());
    read(launch).put(known, declaration);
  }

  /** Reads a launch, which can be queued any number of times. */
  ReadLaunch read(KernelLaunch launch) {
    DriverCall call = launch.call();
    KernelFunction kernel = (KernelFunction) launch.function();
    PtxGrid grid =
        new PtxGrid(
            launch.gridX(),
            launch.gridY(),
            launch.gridZ(),
            launch.blockX(),
            launch.blockY(),
            launch.blockZ(),
            launch.dynamicSharedBytes());
    requireAbleToRun(call, kernel);
    requireAllowed(call, launch, kernel);
    byte[] arguments = kernel.arguments(launch.parameters());
    return (stream, declaration) -> {
      LaunchSites sites = new LaunchSites(kernel.module());
      Submitted op =
          declaration == null
              ? submissions.submit(
                  stream,
                  Submissions.on(kernel.entry().name(), stream),
                  0,
                  kernel.pointers(arguments),
                  false,
                  sites)
              : submissions.submit(
                  stream,
                  declaration.purpose(),
                  declaration.ticket(),
                  declaration.uses(),
                  true,
                  sites);
      submissions.work(stream, op, () -> run(op, kernel, call, grid, arguments));
    };
  }

  /** Refuses a kernel with an instruction that is not simulated; others of its module can run. */
  private static void requireAbleToRun(DriverCall call, KernelFunction kernel) {
    PtxException refusal = kernel.module().instance().refusal(kernel.entry().name());
    if (refusal != null) {
      throw new CudaDriverException(
          call.function(),
          ResultCode.NOT_SUPPORTED,
          ResultCode.name(ResultCode.NOT_SUPPORTED),
          "",
          new KernelLoadException(
              kernel.module().name(),
              "the simulated device cannot run kernel "
                  + kernel.entry().name()
                  + "; line "
                  + refusal.line()
                  + ", "
                  + refusal.fact(),
              "",
              refusal));
    }
  }

  private void requireAllowed(DriverCall call, KernelLaunch launch, KernelFunction kernel) {
    requireArgument(
        call,
        Math.min(Math.min(launch.gridX(), launch.gridY()), launch.gridZ()) > 0
            && Math.min(Math.min(launch.blockX(), launch.blockY()), launch.blockZ()) > 0
            && launch.gridY() <= properties.maxGridY()
            && launch.gridZ() <= properties.maxGridZ()
            && launch.blockZ() <= properties.maxBlockZ()
            && launch.threadsPerBlock() <= properties.maxThreadsPerBlock(),
        "the shape is outside the device's limits");
    Optional<BlockLimit> limit = kernel.entry().blockLimit();
    requireArgument(
        call,
        limit.isEmpty() || limit.get().allows(launch.blockX(), launch.blockY(), launch.blockZ()),
        "the kernel does not allow such blocks");
    int dynamicSharedBytes = launch.dynamicSharedBytes();
    requireArgument(
        call,
        dynamicSharedBytes <= kernel.allowedDynamicSharedBytes(),
        dynamicSharedBytes + " bytes of dynamic shared memory are not allowed");
    if (launch.isCooperative()) {
      requireResident(
          launch.blocks(),
          Residency.blocks(
              properties,
              (int) launch.threadsPerBlock(),
              kernel.entry().staticSharedBytes() + dynamicSharedBytes));
    }
  }

  private void requireResident(long blocks, int perMultiprocessor) {
    if (blocks > (long) perMultiprocessor * properties.multiprocessors()) {
      int code = ResultCode.COOPERATIVE_LAUNCH_TOO_LARGE;
      String call = DriverCall.LAUNCH_COOPERATIVE_KERNEL.function();
      throw new CudaDriverException(call, code, ResultCode.name(code));
    }
  }

  /** Runs a launch, and returns how many nanoseconds it takes. */
  private long run(
      Submitted op, KernelFunction kernel, DriverCall call, PtxGrid grid, byte[] arguments) {
    SimulatedModule module = kernel.module();
    String entry = kernel.entry().name();
    LaunchAccesses accesses = checker == null ? null : checker.begin(memory, op);
    PtxFault thrown = null;
    long instructions = 0;
    try {
      GlobalMemory seen = accesses == null ? memory : accesses;
      if (call == DriverCall.LAUNCH_COOPERATIVE_KERNEL) {
        instructions = module.instance().runTogether(entry, grid, arguments, seen);
      } else {
        instructions = module.instance().run(entry, grid, arguments, seen);
      }
    } catch (PtxFault e) {
      thrown = e;
    }
    if (thrown != null && op.sites() != null) {
      op.sites().ended(module.place(thrown.instruction(), thrown.line()));
    }
    if (checker != null && accesses != null) {
      checker.launched(op, accesses);
      checker.ran(op, accesses, new LaunchThreads(op, kernel, grid, memory));
    }
    if (thrown != null
        && !(thrown.getCause() instanceof IllegalAccess refusal
            && submissions.isExplained(op, refusal))) {
      state.lose(KernelFault.code(thrown), KernelFault.describe(thrown, op, module));
    }
    return ModelledTime.kernel(instructions);
  }
}

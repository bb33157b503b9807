package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.FunctionAttributes;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.run.PtxVariable;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxVersion;
import dev.streamfence.internal.simulator.SimulatedModule.KernelFunction;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The driver calls about modules and their functions. Confined to the driver's lock. */
final class SimulatedModules {
  private final DeviceState state;
  private final DeviceProperties properties;
  private final long instructionsPerLaunch;
  private final Consumer<String> output;
  private final Supplier<@Nullable Thread> interrupted;
  private final Scheduler scheduler;
  private final SimulatedMemory variables;
  private final MappedMemory memory;
  private final Set<SimulatedModule> modules = new HashSet<>();

  /**
   * Creates an empty set of modules.
   *
   * @param output receives what kernels print
   * @param interrupted tells which thread was interrupted while it waits for a kernel, if any
   * @param variables allocates the variables of modules
   * @param memory the memory that their kernels see
   */
  SimulatedModules(
      DeviceState state,
      DeviceProperties properties,
      long instructionsPerLaunch,
      Consumer<String> output,
      Supplier<@Nullable Thread> interrupted,
      Scheduler scheduler,
      SimulatedMemory variables,
      MappedMemory memory) {
    this.state = state;
    this.properties = properties;
    this.instructionsPerLaunch = instructionsPerLaunch;
    this.output = output;
    this.interrupted = interrupted;
    this.scheduler = scheduler;
    this.variables = variables;
    this.memory = memory;
  }

  /** The number of loaded modules. */
  int count() {
    return modules.size();
  }

  ModuleHandle load(String name, byte[] image) {
    try {
      PtxModule ptx = PtxModule.parse(new String(image, StandardCharsets.UTF_8));
      requireTaken(name, ptx);
      PtxProgram program = PtxProgram.translate(ptx);
      SimulatedModule module = place(name, ptx, program);
      modules.add(module);
      return module;
    } catch (PtxException e) {
      throw new KernelLoadException(
          name, "the simulated device cannot run it; line " + e.line() + ", " + e.fact(), "", e);
    } catch (StackOverflowError | OutOfMemoryError e) {
      throw new KernelLoadException(
          name, "it is too large for the Java memory of the simulated device: " + e, "", e);
    }
  }

  /** Throws if a driver and a device of these versions would refuse the module. */
  private void requireTaken(String name, PtxModule ptx) {
    Optional<PtxVersion> written = PtxVersion.of(ptx.isaVersion());
    Optional<PtxVersion> taken = PtxVersion.takenBy(properties.driverVersion());
    if (written.isPresent() && taken.isPresent() && written.get().isNewerThan(taken.get())) {
      throw refused(name, ResultCode.UNSUPPORTED_PTX_VERSION);
    }
    if (!ptx.runsOn(properties.computeMajor(), properties.computeMinor())) {
      throw refused(name, ResultCode.NO_BINARY_FOR_GPU);
    }
  }

  private static KernelLoadException refused(String name, int code) {
    return new KernelLoadException(
        name, "the device answered " + ResultCode.name(code) + " (" + code + ")", "", null);
  }

  /** Allocates and initializes the variables of a module: all of them, or none. */
  private SimulatedModule place(String name, PtxModule ptx, PtxProgram program) {
    List<PtxVariable> described = new ArrayList<>(program.globals());
    described.addAll(program.constants());
    List<Long> placed = new ArrayList<>();
    try {
      for (PtxVariable variable : described) {
        placed.add(place(name, variable));
      }
      long[] addresses = placed.stream().mapToLong(Long::longValue).toArray();
      int globals = program.globals().size();
      PtxInstance instance =
          program
              .instantiate(
                  memory,
                  Arrays.copyOf(addresses, globals),
                  Arrays.copyOfRange(addresses, globals, addresses.length))
              .withInstructionLimit(instructionsPerLaunch)
              .withOutput(output)
              .withInterruption(interrupted);
      Map<String, ModuleVariable> byName = new HashMap<>();
      for (int i = 0; i < addresses.length; i++) {
        PtxVariable variable = described.get(i);
        if (variable.isOfModule()) {
          byName.put(variable.name(), new ModuleVariable(addresses[i], variable.sizeInBytes()));
        }
      }
      return new SimulatedModule(
          name, ptx, instance, placed, byName, properties.sharedBytesPerBlock());
    } catch (RuntimeException | Error e) {
      variables.remove(placed);
      throw e;
    }
  }

  private long place(String module, PtxVariable variable) {
    if (variable.alignment() > AddressSpace.ALIGNMENT) {
      throw new KernelLoadException(
          module,
          "its variable '"
              + variable.name()
              + "' needs an address that is a multiple of "
              + variable.alignment()
              + "; the simulated device aligns to "
              + AddressSpace.ALIGNMENT,
          "",
          null);
    }
    try {
      return variables.place(variable.sizeInBytes());
    } catch (CudaDriverException e) {
      throw new CudaDriverException(
          e.call(),
          e.code(),
          e.codeName(),
          "loading module "
              + module
              + ", giving memory to its variable '"
              + variable.name()
              + "': "
              + e.purpose(),
          null);
    }
  }

  void unload(ModuleHandle module) {
    SimulatedModule known = (SimulatedModule) module;
    state.requireArgument(modules.remove(known), "a module that is not loaded");
    scheduler.drainAll();
    variables.remove(known.variables());
  }

  FunctionHandle function(ModuleHandle module, String entry) {
    SimulatedModule known = (SimulatedModule) module;
    KernelFunction function =
        known
            .function(entry)
            .orElseThrow(
                () ->
                    new KernelLoadException(known.name(), "there is no entry " + entry, "", null));
    long shared = function.entry().staticSharedBytes();
    if (shared > properties.sharedBytesPerBlock()) {
      throw new KernelLoadException(
          known.name(),
          "its entry "
              + entry
              + " has "
              + shared
              + " bytes of static shared memory, a block has "
              + properties.sharedBytesPerBlock(),
          "",
          null);
    }
    return function;
  }

  ModuleVariable variable(ModuleHandle module, String name) {
    SimulatedModule known = (SimulatedModule) module;
    ModuleVariable variable =
        known
            .variable(name)
            .orElseThrow(
                () ->
                    new KernelLoadException(
                        known.name(), "there is no variable " + name, "", null));
    variables.watch(variable.address());
    return variable;
  }

  FunctionAttributes attributes(FunctionHandle function) {
    KernelFunction known = (KernelFunction) function;
    return new FunctionAttributes(most(known), (int) known.entry().staticSharedBytes());
  }

  void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    KernelFunction known = (KernelFunction) function;
    state.requireArgument(
        bytes >= 0
            && bytes + known.entry().staticSharedBytes() <= properties.sharedBytesPerBlockOptIn(),
        bytes + " bytes of dynamic shared memory");
    known.allowDynamicSharedBytes(bytes);
  }

  int residentBlocks(FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    state.requireArgument(
        blockThreads > 0 && dynamicSharedBytes >= 0, "blocks have at least one thread");
    return residentBlocks((KernelFunction) function, blockThreads, dynamicSharedBytes);
  }

  /** None fits beyond what the entry or its allowance permits, as with the driver. */
  private int residentBlocks(KernelFunction function, int blockThreads, int dynamicSharedBytes) {
    return blockThreads > most(function)
            || dynamicSharedBytes > function.allowedDynamicSharedBytes()
        ? 0
        : Residency.blocks(
            properties, blockThreads, function.entry().staticSharedBytes() + dynamicSharedBytes);
  }

  /** The largest of the whole warps with which most threads run at the same time. */
  int suggestedBlockSize(FunctionHandle function, int dynamicSharedBytes) {
    state.requireArgument(dynamicSharedBytes >= 0, "blocks have shared memory");
    KernelFunction known = (KernelFunction) function;
    int warp = properties.warpSize();
    int most = most(known);
    int best = 0;
    int bestThreads = 0;
    for (int warps = (most + warp - 1) / warp; warps > 0; warps--) {
      int threads = Math.min(most, warps * warp);
      int resident = threads * residentBlocks(known, threads, dynamicSharedBytes);
      if (resident > bestThreads) {
        best = threads;
        bestThreads = resident;
      }
    }
    return best;
  }

  private int most(KernelFunction function) {
    int most = properties.maxThreadsPerBlock();
    return function.entry().blockLimit().map(limit -> Math.min(limit.threads(), most)).orElse(most);
  }
}

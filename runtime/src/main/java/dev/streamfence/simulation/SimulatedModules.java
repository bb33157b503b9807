package dev.streamfence.simulation;

import static dev.streamfence.simulation.DeviceState.requireArgument;

import dev.streamfence.KernelLoadException;
import dev.streamfence.driver.CudaDriver.FunctionHandle;
import dev.streamfence.driver.CudaDriver.ModuleHandle;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.driver.FunctionAttributes;
import dev.streamfence.ptx.PtxEntry;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxModule;
import dev.streamfence.ptx.PtxProgram;
import dev.streamfence.simulation.SimulatedModule.Function;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/** The driver calls about modules and their functions. Confined to the driver's lock. */
final class SimulatedModules {
  private final DeviceProperties properties;
  private final long instructionsPerLaunch;
  private final DeviceState state;
  private final Scheduler scheduler;
  private final SimulatedMemory variables;
  private final MappedMemory memory;
  private final Set<SimulatedModule> modules = new HashSet<>();

  /**
   * Holds no module yet.
   *
   * @param variables allocates those of modules
   * @param memory what their kernels see
   */
  SimulatedModules(
      DeviceProperties properties,
      long instructionsPerLaunch,
      DeviceState state,
      Scheduler scheduler,
      SimulatedMemory variables,
      MappedMemory memory) {
    this.properties = properties;
    this.instructionsPerLaunch = instructionsPerLaunch;
    this.state = state;
    this.scheduler = scheduler;
    this.variables = variables;
    this.memory = memory;
  }

  /** Modules that are loaded. */
  int count() {
    return modules.size();
  }

  ModuleHandle load(String name, byte[] image) {
    state.enter(DriverCall.LOAD_MODULE);
    try {
      PtxModule ptx = PtxModule.parse(new String(image, StandardCharsets.UTF_8));
      if (!ptx.runsOn(properties.computeMajor(), properties.computeMinor())) {
        throw new KernelLoadException(
            name, "the device answered CUDA_ERROR_NO_BINARY_FOR_GPU (209)", "", null);
      }
      PtxProgram program = PtxProgram.translate(ptx);
      long[] placed = variables.place(program.globals());
      SimulatedModule module =
          new SimulatedModule(
              name,
              ptx,
              program.instantiate(memory, placed).withInstructionLimit(instructionsPerLaunch),
              placed,
              properties.sharedBytesPerBlock());
      modules.add(module);
      return module;
    } catch (PtxException e) {
      throw new KernelLoadException(
          name, "the simulated device cannot run it: " + e.getMessage(), "", e);
    }
  }

  void unload(ModuleHandle module) {
    state.enter(DriverCall.UNLOAD_MODULE);
    SimulatedModule known = (SimulatedModule) module;
    requireArgument(DriverCall.UNLOAD_MODULE, modules.remove(known), "a module that is not loaded");
    scheduler.drainAll();
    variables.remove(known.variables());
  }

  FunctionHandle function(ModuleHandle module, String entry) {
    state.enter(DriverCall.FUNCTION);
    SimulatedModule known = (SimulatedModule) module;
    return known
        .function(entry)
        .orElseThrow(
            () -> new KernelLoadException(known.name(), "there is no entry " + entry, "", null));
  }

  FunctionAttributes attributes(FunctionHandle function) {
    state.enter(DriverCall.ATTRIBUTES);
    PtxEntry entry = ((Function) function).entry();
    int most = properties.maxThreadsPerBlock();
    return new FunctionAttributes(
        entry.blockLimit().map(limit -> Math.min(limit.threads(), most)).orElse(most),
        (int) entry.staticSharedBytes());
  }

  void allowDynamicSharedBytes(FunctionHandle function, int bytes) {
    state.enter(DriverCall.ALLOW_DYNAMIC_SHARED_BYTES);
    Function known = (Function) function;
    requireArgument(
        DriverCall.ALLOW_DYNAMIC_SHARED_BYTES,
        bytes >= 0
            && bytes + known.entry().staticSharedBytes() <= properties.sharedBytesPerBlockOptIn(),
        bytes + " bytes of dynamic shared memory");
    known.allowDynamicSharedBytes(bytes);
  }

  int residentBlocks(FunctionHandle function, int blockThreads, int dynamicSharedBytes) {
    state.enter(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR);
    requireArgument(
        DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR,
        blockThreads > 0 && dynamicSharedBytes >= 0,
        "blocks have at least one thread");
    PtxEntry entry = ((Function) function).entry();
    return Residency.blocks(blockThreads, entry.staticSharedBytes() + dynamicSharedBytes);
  }
}

package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.driver.ModuleVariable;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.MangledName;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Loaded PTX, with its variables in device memory. Confined to the driver's lock. */
final class SimulatedModule implements ModuleHandle {
  /** One entry point. */
  static final class KernelFunction implements FunctionHandle {
    private final SimulatedModule module;
    private final PtxEntry entry;
    private int allowedDynamicSharedBytes;

    private KernelFunction(SimulatedModule module, PtxEntry entry, int allowedDynamicSharedBytes) {
      this.module = module;
      this.entry = entry;
      this.allowedDynamicSharedBytes = allowedDynamicSharedBytes;
    }

    SimulatedModule module() {
      return module;
    }

    PtxEntry entry() {
      return entry;
    }

    int allowedDynamicSharedBytes() {
      return allowedDynamicSharedBytes;
    }

    void allowDynamicSharedBytes(int bytes) {
      allowedDynamicSharedBytes = bytes;
    }

    /**
     * Copies the arguments out of native memory into the entry's parameter space, as a launch does.
     */
    byte[] arguments(HostMemory table) {
      SimulatedHostMemory frame = (SimulatedHostMemory) table;
      SimulatedHostMemory whole = frame.whole();
      List<PtxParameter> parameters = entry.parameters();
      byte[] space = new byte[module.instance.parameterSpaceSize(entry.name())];
      for (int i = 0; i < parameters.size(); i++) {
        int size = parameters.get(i).sizeInBytes();
        int at = whole.offset(frame.bytes().getLong(i * Long.BYTES), size);
        whole.bytes().get(at, space, module.instance.parameterOffset(entry.name(), i), size);
      }
      return space;
    }

    /** The arguments that may be addresses, as uses of the memory there. */
    List<Use> pointers(byte[] arguments) {
      List<PtxParameter> parameters = entry.parameters();
      ByteBuffer space = ByteBuffer.wrap(arguments).order(ByteOrder.LITTLE_ENDIAN);
      List<Use> pointers = new ArrayList<>();
      for (int i = 0; i < parameters.size(); i++) {
        PtxParameter parameter = parameters.get(i);
        if (parameter.sizeInBytes() == Long.BYTES) {
          long value = space.getLong(module.instance.parameterOffset(entry.name(), i));
          pointers.add(new Use(parameter.name(), value, 0, true, true));
        }
      }
      return pointers;
    }
  }

  private final String name;
  private final PtxModule ptx;
  private final PtxInstance instance;
  private final Map<String, KernelFunction> functions = new HashMap<>();
  private final List<Long> variables;
  private final Map<String, ModuleVariable> variablesByName;
  private final int defaultSharedBytes;

  SimulatedModule(
      String name,
      PtxModule ptx,
      PtxInstance instance,
      List<Long> variables,
      Map<String, ModuleVariable> variablesByName,
      int defaultSharedBytes) {
    this.name = name;
    this.ptx = ptx;
    this.instance = instance;
    this.variables = variables;
    this.variablesByName = variablesByName;
    this.defaultSharedBytes = defaultSharedBytes;
  }

  String name() {
    return name;
  }

  PtxInstance instance() {
    return instance;
  }

  /**
   * Where an instruction is, in the PTX and, if the PTX tells, in the source.
   *
   * @param line its line in the PTX, known even without an instruction
   */
  String place(@Nullable Instruction instruction, int line) {
    String place = "line " + line + " of " + name;
    return instruction == null
        ? place
        : instruction.mnemonic()
            + " in "
            + place
            + ptx.position(instruction.source()).map(source -> ", " + source).orElse("");
  }

  /** Names the variable that a byte of a block's shared memory is in, as the source does. */
  String sharedVariable(String entry, long offset) {
    return ptx.sharedVariable(entry, offset)
        .map(variable -> "'" + MangledName.variable(variable.name()) + "' in shared memory")
        .orElse("dynamic shared memory");
  }

  /** Addresses of its variables in device memory. */
  List<Long> variables() {
    return variables;
  }

  /** One of its variables, which is not empty. */
  Optional<ModuleVariable> variable(String variableName) {
    return Optional.ofNullable(variablesByName.get(variableName));
  }

  /** One entry point; like a driver's, the same at each call. */
  Optional<KernelFunction> function(String entryName) {
    return ptx.entry(entryName)
        .map(
            entry ->
                functions.computeIfAbsent(
                    entryName,
                    name ->
                        new KernelFunction(
                            this, entry, defaultSharedBytes - (int) entry.staticSharedBytes())));
  }
}

package dev.streamfence.internal.ptx.run;

import dev.streamfence.internal.ptx.run.instruction.FunctionTranslator;
import dev.streamfence.internal.ptx.run.instruction.ModuleSymbols;
import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Translates a module: places its variables, then translates each of its functions. */
final class ProgramTranslator implements ModuleSymbols {
  /** The size of {@code .const} on every device. */
  private static final int MAX_CONSTANT_BYTES = 64 << 10;

  private static final int MAX_SHARED_BYTES = 1 << 24;

  private final PtxModule module;
  private final Map<String, Code> codes = new LinkedHashMap<>();
  private final Map<String, PtxFunction> declared = new HashMap<>();
  private final List<Variable> globals = new ArrayList<>();
  private final Map<Integer, Integer> globalIndexes = new HashMap<>();
  private final List<Variable> constants = new ArrayList<>();
  private final Layout constantLayout = new Layout();

  ProgramTranslator(PtxModule module) {
    this.module = module;
  }

  PtxProgram translate() {
    if (module.addressSize() != 64) {
      throw new PtxException(1, "addresses of 32 bits cannot be run; compile for .address_size 64");
    }
    module.variables().forEach(this::place);
    for (PtxFunction function : module.functions()) {
      declared.put(function.name(), function);
      function.locals().forEach(this::placeStatic);
      if (function.hasBody()) {
        codes.put(function.name(), new Code(function, codes.size()));
      }
    }
    if (constantLayout.size() > MAX_CONSTANT_BYTES) {
      throw new PtxException(
          1,
          "the module has "
              + constantLayout.size()
              + " bytes of constants, a device holds "
              + MAX_CONSTANT_BYTES);
    }
    if (module.commonShared().size() > MAX_SHARED_BYTES) {
      throw new PtxException(1, "the module has more shared memory than a block can have");
    }
    boolean canAllRun = true;
    for (Code code : codes.values()) {
      new FunctionTranslator(this, code, sharedLayout(code)).translate();
      canAllRun &= code.refusal == null;
    }
    if (!canAllRun) {
      refuseCallers();
    }
    PtxProgram program = new PtxProgram(this, module);
    new InitialValues(program, new long[globals.size()]).check(globals, constants);
    return program;
  }

  /** Refuses every function that names a refused one, directly or through others. */
  private void refuseCallers() {
    boolean isAnyNew = true;
    while (isAnyNew) {
      isAnyNew = false;
      for (Code code : codes.values()) {
        for (Code callee : code.named) {
          if (code.refusal == null && callee.refusal != null) {
            code.refusal = callee.refusal;
            isAnyNew = true;
          }
        }
      }
    }
  }

  private void placeStatic(Variable variable) {
    if (variable.space() == StateSpace.GLOBAL || variable.space() == StateSpace.CONST) {
      place(variable);
    }
  }

  private void place(Variable variable) {
    switch (variable.space()) {
      case GLOBAL -> {
        globalIndexes.put(variable.id(), globals.size());
        globals.add(variable);
      }
      case CONST -> {
        constants.add(variable);
        constantLayout.add(variable);
      }
      default -> {}
    }
  }

  private Layout sharedLayout(Code code) {
    PtxFunction function = code.function;
    boolean ownShared =
        function.entry()
            && function.locals().stream().anyMatch(v -> v.space() == StateSpace.SHARED);
    if (!ownShared) {
      return module.commonShared();
    }
    Layout layout = new Layout(module.commonShared());
    layout.addAll(function.locals(), StateSpace.SHARED);
    if (layout.size() > MAX_SHARED_BYTES) {
      throw new PtxException(
          function.line(), "'" + function.name() + "' needs more shared memory than a block has");
    }
    return layout;
  }

  @Override
  public Optional<Code> code(String name) {
    return Optional.ofNullable(codes.get(name));
  }

  @Override
  public boolean isDeclared(String name) {
    return declared.containsKey(name);
  }

  Map<String, Code> codes() {
    return codes;
  }

  List<Variable> globals() {
    return globals;
  }

  List<Variable> constants() {
    return constants;
  }

  Layout constantLayout() {
    return constantLayout;
  }

  @Override
  public long constantOffset(Variable variable) {
    return constantLayout.offset(variable).orElseThrow();
  }

  @Override
  public int globalIndex(Variable variable) {
    return globalIndexes.getOrDefault(variable.id(), -1);
  }
}

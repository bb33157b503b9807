package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.HashMap;
import java.util.Map;

/**
 * The state that the analyses of one module's kernels share: the functions, prepared once, and the
 * work budget. Confined to one thread.
 */
public final class ModuleAnalysis {
  private final PtxModule module;
  private final Map<String, FunctionFlow> flows = new HashMap<>();
  private final AnalysisBudget budget;

  ModuleAnalysis(PtxModule module) {
    this(module, new AnalysisBudget());
  }

  public ModuleAnalysis(PtxModule module, AnalysisBudget budget) {
    this.module = module;
    this.budget = budget;
  }

  PtxModule module() {
    return module;
  }

  FunctionFlow flow(PtxFunction function) {
    if (function.instructions().size() > CodeLimits.FUNCTION_INSTRUCTIONS) {
      throw new TooLargeException(TooLargeException.KERNEL);
    }
    return flows.computeIfAbsent(function.name(), name -> new FunctionFlow(function));
  }

  /** Counts work; exceeding the budget ends this analysis and all later ones. */
  void charge(int units) {
    budget.charge(units);
  }
}

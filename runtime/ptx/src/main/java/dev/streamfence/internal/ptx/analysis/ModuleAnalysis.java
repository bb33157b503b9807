package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.HashMap;
import java.util.Map;

/**
 * The state that the analyses of one module's kernels share: the functions of the last kernels,
 * prepared, and the work budget. Confined to one thread.
 */
public final class ModuleAnalysis {
  /** How many prepared instructions are kept for the next kernel, which may call the same. */
  private static final int MOST_KEPT = 1 << 13;

  private final PtxModule module;
  private final Map<String, FunctionFlow> flows = new HashMap<>();
  private final AnalysisBudget budget;
  private int kept;

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

  /**
   * A function, prepared.
   *
   * @throws TooLargeException if it is too large to analyse
   */
  public FunctionFlow flow(PtxFunction function) {
    if (function.instructions().size() > CodeLimits.FUNCTION_INSTRUCTIONS) {
      throw new TooLargeException(TooLargeException.KERNEL);
    }
    FunctionFlow found = flows.get(function.name());
    if (found == null) {
      if (function.entry() && kept > MOST_KEPT) {
        flows.clear();
        kept = 0;
      }
      found = new FunctionFlow(function);
      kept += found.size();
      flows.put(function.name(), found);
    }
    return found;
  }

  /** Counts work; exceeding the budget ends this analysis and all later ones. */
  void charge(int units) {
    budget.charge(units);
  }
}

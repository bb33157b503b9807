package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.syntax.CodeLimits;

/**
 * The work that the analyses of one module's kernels may take together. A caller that parses a
 * module again passes the module's old budget. Confined to one thread.
 */
public final class AnalysisBudget {
  private long left;

  /** Creates a budget of {@link CodeLimits#MODULE_WORK} steps. */
  public AnalysisBudget() {
    this(CodeLimits.MODULE_WORK);
  }

  AnalysisBudget(long steps) {
    left = steps;
  }

  /** Returns how many steps are left; negative once the budget is exceeded. */
  public long left() {
    return left;
  }

  /** Subtracts work; exceeding the budget ends this analysis and all later ones. */
  void charge(int units) {
    left -= units;
    if (left < 0) {
      throw new TooLargeException("the kernels of the module are too large to analyse together");
    }
  }
}

package dev.streamfence.ptx;

/**
 * How much work the analyses of one module's kernels may take together. Whoever reads a module
 * again gives it the budget that it had. Confined to one thread.
 */
public final class AnalysisBudget {
  private long left;

  /** A budget of {@link CodeLimits#MODULE_WORK} steps. */
  public AnalysisBudget() {
    this(CodeLimits.MODULE_WORK);
  }

  AnalysisBudget(long steps) {
    left = steps;
  }

  /** Returns how many steps it still allows; negative once they were too many. */
  public long left() {
    return left;
  }

  /** Takes work off it; too much of it ends this analysis, and all that come after. */
  void charge(int units) {
    left -= units;
    if (left < 0) {
      throw new TooLargeException("the kernels of the module are too large to analyse together");
    }
  }
}

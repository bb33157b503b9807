package dev.streamfence.ptx;

import java.util.HashMap;
import java.util.Map;

/**
 * What the analyses of one module's kernels share: its functions, prepared once, and how much work
 * they may take together. Confined to one thread.
 */
final class ModuleAnalysis {
  /** Ten kernels of the largest kind; half a minute to a minute of work. */
  private static final long MAX_WORK = 10 * Worklist.MAX_WORK;

  private final PtxModule module;
  private final Map<String, FunctionFlow> flows = new HashMap<>();
  private final long maxWork;
  private long work;

  ModuleAnalysis(PtxModule module) {
    this(module, MAX_WORK);
  }

  ModuleAnalysis(PtxModule module, long maxWork) {
    this.module = module;
    this.maxWork = maxWork;
  }

  PtxModule module() {
    return module;
  }

  FunctionFlow flow(Function function) {
    return flows.computeIfAbsent(function.name(), name -> new FunctionFlow(function));
  }

  /** Counts work; too much of it ends this analysis, and all that come after. */
  void charge(int units) {
    work += units;
    if (work > maxWork) {
      throw new TooLargeException("the kernels of the module are too large to analyse together");
    }
  }
}

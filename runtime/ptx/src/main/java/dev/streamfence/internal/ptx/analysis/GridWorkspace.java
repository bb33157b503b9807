package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import org.jspecify.annotations.Nullable;

/**
 * The memory through which the blocks of a cooperative launch wait for each other. The driver
 * allocates it, so it is behind no parameter. The code is searched for its address when that is
 * first asked for. Confined to one thread.
 */
final class GridWorkspace {
  private final ModuleAnalysis analysis;
  private final PtxFunction entry;
  private boolean isSearched;

  /** Null if the code has no such address, or lets it out of sight. */
  private @Nullable WorkspaceFlow found;

  GridWorkspace(ModuleAnalysis analysis, PtxFunction entry) {
    this.analysis = analysis;
    this.entry = entry;
  }

  /** Whether a step certainly accesses this memory through an operand. */
  boolean isAccess(Step step, Operand operand) {
    if (!isSearched) {
      isSearched = true;
      found =
          WorkspaceFlow.of(analysis, new ReachedCode(analysis, entry))
              .filter(WorkspaceFlow::isClear)
              .orElse(null);
    }
    return found != null && found.isAccess(step.activation().flow(), step.index(), operand);
  }
}

package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.analysis.AnalysisBudget;
import dev.streamfence.internal.ptx.analysis.LaunchFacts;
import dev.streamfence.internal.ptx.analysis.LaunchNeed;
import dev.streamfence.internal.ptx.analysis.ModuleAnalysis;
import dev.streamfence.internal.ptx.bounds.TileOverrun;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the launches that a declaration allows with what kernels need of them. Leaves half of
 * the budget to the accesses. Confined to one thread.
 */
final class LaunchCheck {
  private final PtxModule module;
  private final ModuleAnalysis analysis;
  private final AnalysisBudget budget;

  /** Remembered, because several interfaces declare the same kernels. */
  private final Map<String, LaunchFacts> known = new HashMap<>();

  LaunchCheck(PtxModule module, ModuleAnalysis analysis, AnalysisBudget budget) {
    this.module = module;
    this.analysis = analysis;
    this.budget = budget;
  }

  /**
   * Returns the differences.
   *
   * @param block the block of every launch, if the declaration and the code agree on one
   */
  List<Mismatch> compare(KernelSignature declared, PtxEntry entry, Optional<BlockShape> block) {
    List<Mismatch> found = new ArrayList<>();
    LaunchFacts facts = known.get(entry.name());
    if (facts == null) {
      if (!mayWork()) {
        return found;
      }
      facts = LaunchFacts.of(analysis, entry);
      known.put(entry.name(), facts);
    }
    if (!declared.isCooperative()) {
      add(facts, LaunchNeed.COOPERATIVE, Difference.GRID_BARRIER, found);
    }
    if (declared.dynamicSharedBytes() == 0
        && declared.parameters().stream().noneMatch(LaunchCheck::setsSharedBytes)) {
      add(facts, LaunchNeed.DYNAMIC_SHARED, Difference.NO_DYNAMIC_SHARED, found);
    }
    add(facts, LaunchNeed.CLUSTER, Difference.NO_CLUSTER, found);
    if (block.isPresent()) {
      BlockShape shape = block.get();
      int threads = shape.x() * shape.y() * shape.z();
      if (threads % LaunchFacts.WARP_GROUP != 0) {
        add(facts, LaunchNeed.WARP_GROUPS, Difference.WARP_GROUPS, found);
      }
      if (mayWork()) {
        TileOverrun.of(module, entry, new BlockLimit(shape.x(), shape.y(), shape.z(), true))
            .map(overrun -> Mismatch.ofTile(site(entry, overrun), overrun, shape))
            .ifPresent(found::add);
      }
    }
    return found;
  }

  private AccessSite site(PtxEntry entry, TileOverrun overrun) {
    return AccessSite.of(module, entry.name(), overrun.instruction(), "");
  }

  private boolean mayWork() {
    return budget.left() > CodeLimits.MODULE_WORK / 2;
  }

  /** Whether a parameter sets the dynamic shared memory of each launch. */
  private static boolean setsSharedBytes(KernelParameter parameter) {
    return parameter instanceof KernelParameter.Shape
        || parameter instanceof KernelParameter.SharedBytes;
  }

  private static void add(
      LaunchFacts facts, LaunchNeed need, Difference kind, List<Mismatch> found) {
    facts.site(need).map(site -> Mismatch.ofEntryAt(site, kind)).ifPresent(found::add);
  }
}

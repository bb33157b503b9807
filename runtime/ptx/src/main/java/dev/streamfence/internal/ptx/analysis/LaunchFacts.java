package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the code of a kernel needs of its launches, as far as instructions show it that control can
 * reach. Code that is too large, or that handles a launch without the property, needs nothing.
 * Immutable.
 */
public final class LaunchFacts {
  /** The threads of a warp group: four warps. */
  public static final int WARP_GROUP = 128;

  private final Map<LaunchNeed, AccessSite> sites = new EnumMap<>(LaunchNeed.class);

  private LaunchFacts() {}

  /** Returns the needs of a kernel. Throws nothing for any module. */
  public static LaunchFacts of(ModuleAnalysis analysis, PtxEntry entry) {
    LaunchFacts facts = new LaunchFacts();
    try {
      ReachedCode code = new ReachedCode(analysis, entry.function());
      facts.put(LaunchNeed.WARP_GROUPS, code.first(LaunchFacts::takesWarpGroup, ""));
      if (entry.function().clusters().isEmpty()
          && code.reading("%is_explicit_cluster", "").isEmpty()) {
        facts.put(LaunchNeed.CLUSTER, code.first(LaunchFacts::usesCluster, ""));
      }
      facts.put(LaunchNeed.DYNAMIC_SHARED, dynamicShared(analysis, code));
      facts.put(LaunchNeed.COOPERATIVE, GridBarrier.in(analysis, code));
    } catch (TooLargeException e) {
      // The needs that were found before hold.
      return facts;
    }
    return facts;
  }

  private void put(LaunchNeed need, Optional<AccessSite> site) {
    site.ifPresent(found -> sites.put(need, found));
  }

  /** The instruction that shows a need; empty if the code does not show it. */
  public Optional<AccessSite> site(LaunchNeed need) {
    return Optional.ofNullable(sites.get(need));
  }

  private static boolean takesWarpGroup(Instruction instruction) {
    return instruction.opcode().equals("setmaxnreg")
        || instruction.mnemonic().startsWith("wgmma.mma_async");
  }

  private static boolean usesCluster(Instruction instruction) {
    boolean waits =
        instruction.opcode().equals("barrier") && instruction.modifiers().contains("cluster");
    return waits
        || instruction.opcode().equals("mapa")
        || ReachedCode.has(instruction, LaunchFacts::isPlaceInCluster);
  }

  /** Whether an operand is a block's index or rank in its cluster, or their number. */
  private static boolean isPlaceInCluster(Operand operand) {
    return operand instanceof Operand.SpecialRegister special
        && special.name().startsWith("%cluster_");
  }

  /** Finds an access to an array without a length, or else a question for its size. */
  private static Optional<AccessSite> dynamicShared(ModuleAnalysis analysis, ReachedCode code) {
    if (code.first(each -> ReachedCode.has(each, LaunchFacts::isOpenArray), "").isPresent()) {
      ThreadTaint taint = ThreadTaint.of(analysis, code);
      Optional<AccessSite> access = code.first((flow, at) -> accesses(taint, flow, at), "");
      if (access.isPresent()) {
        return access;
      }
    }
    return code.reading("%dynamic_smem_size", "");
  }

  private static boolean isOpenArray(Operand operand) {
    return operand instanceof Operand.VariableAddress address
        ? isDynamic(address.variable())
        : operand instanceof Operand.Memory place && isOpenArray(place.base());
  }

  private static boolean isDynamic(Variable variable) {
    return variable.space() == StateSpace.SHARED && variable.external() && variable.isOpenArray();
  }

  private static boolean accesses(ThreadTaint taint, FunctionFlow flow, int at) {
    Opcode.Effect effect = flow.rule(at).effect();
    if (effect == Opcode.Effect.NO_ACCESS || effect == Opcode.Effect.COMPUTES) {
      return false;
    }
    for (Operand operand : flow.instruction(at).operands()) {
      if (operand instanceof Operand.Memory place) {
        Variable tile = taint.value(flow, at, place.base()).tile();
        if (tile != null && isDynamic(tile)) {
          return true;
        }
      }
    }
    return false;
  }
}

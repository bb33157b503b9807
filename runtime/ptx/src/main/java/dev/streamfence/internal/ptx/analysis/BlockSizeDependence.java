package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds out whether the code of a kernel is written for one block size: a number of threads that
 * its text does not take from {@code %ntid}. Three things show that:
 *
 * <ul>
 *   <li>an access to shared memory at an address that is computed from {@code %tid}: a tile has as
 *       many elements as its author chose, or the launch's dynamic shared memory holds;
 *   <li>a barrier that waits for a constant number of threads;
 *   <li>{@code %tid} without {@code %ntid}: the threads of a block are counted by a constant.
 * </ul>
 *
 * <p>Not seen: a constant beside {@code %ntid}, a loop or a shuffle over a constant number of
 * threads, an address that is read from memory, or code that is too large. A tile that the code
 * uses correctly with every block size counts as written for one.
 *
 * <p>Confined to one thread.
 */
public final class BlockSizeDependence {
  /** Opcodes whose first operand is a result that comes from memory, not from the operands. */
  private static final Set<String> LOADS = Set.of("ld", "ldu", "atom", "ldmatrix", "tex", "suld");

  private static final Set<String> BARRIERS = Set.of("bar", "barrier");

  private final PtxModule module;
  private final AnalysisBudget budget;

  private BlockSizeDependence(PtxModule module, AnalysisBudget budget) {
    this.module = module;
    this.budget = budget;
  }

  /**
   * Returns the first instruction that shows that a kernel is written for one block size, with the
   * reason; empty if none does.
   *
   * @param budget the work that it may take
   */
  public static Optional<AccessSite> of(PtxModule module, PtxEntry entry, AnalysisBudget budget) {
    try {
      return new BlockSizeDependence(module, budget).find(entry);
    } catch (TooLargeException e) {
      return Optional.empty();
    }
  }

  private Optional<AccessSite> find(PtxEntry entry) {
    ThreadTaint taint = new ThreadTaint(module, entry.function());
    do {
      budget.charge(taint.instructions());
    } while (taint.spread());
    List<AccessSite> sites = new ArrayList<>();
    for (PtxFunction function : taint.functions()) {
      for (Instruction instruction : function.instructions()) {
        reason(taint, function, instruction)
            .ifPresent(reason -> sites.add(site(function, instruction, reason)));
      }
    }
    if (!sites.isEmpty()) {
      return Optional.of(sites.get(0));
    }
    return reads(taint, "%ntid").isPresent() ? Optional.empty() : reads(taint, "%tid");
  }

  private static Optional<String> reason(
      ThreadTaint taint, PtxFunction function, Instruction instruction) {
    List<Operand> operands = instruction.operands();
    for (int i = 0; i < operands.size(); i++) {
      if (operands.get(i) instanceof Operand.Memory place) {
        ThreadTaint.Taint address = taint.value(function, place.base());
        // A copy names the spaces of both of its addresses, in the order of the operands.
        boolean inShared = firstPlace(operands) == i && startsInShared(instruction);
        if (address.fromThread() && (inShared || address.tile() != null)) {
          return Optional.of(
              "the address in shared memory"
                  + (address.tile() == null ? "" : " '" + address.tile().name() + "'")
                  + " is computed from %tid");
        }
      }
    }
    boolean counts =
        BARRIERS.contains(instruction.opcode())
            && !instruction.modifiers().contains("warp")
            && operands.size() > 1
            && operands.get(1) instanceof Operand.IntegerLiteral;
    return counts
        ? Optional.of("the barrier waits for " + literal(operands.get(1)) + " threads")
        : Optional.empty();
  }

  private static int firstPlace(List<Operand> operands) {
    for (int i = 0; i < operands.size(); i++) {
      if (operands.get(i) instanceof Operand.Memory) {
        return i;
      }
    }
    return -1;
  }

  /** Whether the first space that an instruction names is shared memory. */
  private static boolean startsInShared(Instruction instruction) {
    List<StateSpace> spaces = instruction.spaces();
    return !spaces.isEmpty() && spaces.get(0) == StateSpace.SHARED;
  }

  private static long literal(Operand operand) {
    return operand instanceof Operand.IntegerLiteral number ? number.value() : 0;
  }

  /** The first instruction that reads a special register. */
  private Optional<AccessSite> reads(ThreadTaint taint, String register) {
    Predicate<Operand> isRead = operand -> ThreadTaint.reads(operand, register);
    for (PtxFunction function : taint.functions()) {
      for (Instruction instruction : function.instructions()) {
        if (instruction.operands().stream().anyMatch(isRead)) {
          return Optional.of(site(function, instruction, "the code reads %tid and never %ntid"));
        }
      }
    }
    return Optional.empty();
  }

  private AccessSite site(PtxFunction function, Instruction instruction, String reason) {
    return new AccessSite(
        instruction.line(),
        function.name(),
        instruction.mnemonic(),
        reason,
        module.position(instruction.source()).orElse(null));
  }

  /** Whether the result of an instruction is loaded from memory. */
  static boolean isLoad(Instruction instruction) {
    return LOADS.contains(instruction.opcode());
  }
}

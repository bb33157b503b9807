package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.MangledName;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
 * <p>Stateless.
 */
public final class BlockSizeDependence {
  private static final Set<String> BARRIERS = Set.of("bar", "barrier");

  private BlockSizeDependence() {}

  /**
   * Returns the first instruction that shows that a kernel is written for one block size, with the
   * reason; empty if none does.
   */
  public static Optional<AccessSite> of(ModuleAnalysis analysis, PtxEntry entry) {
    try {
      return find(analysis, new ReachedCode(analysis, entry.function()));
    } catch (TooLargeException e) {
      return Optional.empty();
    }
  }

  private static Optional<AccessSite> find(ModuleAnalysis analysis, ReachedCode code) {
    ThreadTaint taint = ThreadTaint.of(analysis, code);
    for (FunctionFlow flow : code.flows()) {
      for (int at = 0; at < flow.size(); at++) {
        String reason = flow.isReachable(at) ? reason(taint, flow, at) : "";
        if (!reason.isEmpty()) {
          return Optional.of(code.site(flow, at, reason));
        }
      }
    }
    return code.reading("%ntid", "").isPresent()
        ? Optional.empty()
        : code.reading("%tid", "the code reads %tid and never %ntid");
  }

  /** Why an instruction shows it; empty if it does not. */
  private static String reason(ThreadTaint taint, FunctionFlow flow, int at) {
    Instruction instruction = flow.instruction(at);
    List<Operand> operands = instruction.operands();
    for (int i = 0; i < operands.size(); i++) {
      if (operands.get(i) instanceof Operand.Memory place) {
        ThreadTaint.Taint address = taint.value(flow, at, place.base());
        // A copy names the spaces of both of its addresses, in the order of the operands.
        boolean inShared = firstPlace(operands) == i && startsInShared(instruction);
        if (address.fromThread() && (inShared || address.tile() != null)) {
          return "the address in shared memory"
              + (address.tile() == null
                  ? ""
                  : " '" + MangledName.variable(address.tile().name()) + "'")
              + " is computed from %tid";
        }
      }
    }
    boolean counts =
        BARRIERS.contains(instruction.opcode())
            && !instruction.has("warp")
            && operands.size() > 1
            && operands.get(1) instanceof Operand.IntegerLiteral;
    return counts ? "the barrier waits for " + literal(operands.get(1)) + " threads" : "";
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
}

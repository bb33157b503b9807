package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.WorkspaceFlow.Held;
import dev.streamfence.internal.ptx.analysis.WorkspaceFlow.HeldKind;
import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode.Control;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Optional;

/**
 * Finds a barrier of the whole grid, as cooperative groups compile it: an atomic addition to the
 * grid's workspace, whose address is in {@code %envreg1} and {@code %envreg2}. The address is 0 in
 * a launch that is not cooperative. The barrier itself then ends the kernel by a trap; code with
 * any other test of the address may run without cooperation, and has no such barrier. Stateless.
 */
final class GridBarrier {
  /** The most instructions between a branch and its trap. */
  private static final int MOST_STEPS = 64;

  private GridBarrier() {}

  /** Returns the addition; empty if there is none, or the code is unclear. */
  static Optional<AccessSite> in(ModuleAnalysis analysis, ReachedCode code) {
    return WorkspaceFlow.of(analysis, code).flatMap(values -> in(analysis, code, values));
  }

  private static Optional<AccessSite> in(
      ModuleAnalysis analysis, ReachedCode code, WorkspaceFlow values) {
    boolean handled =
        !values.isClear()
            || code.first((flow, at) -> decides(analysis.module(), values, flow, at), "")
                .isPresent();
    return handled
        ? Optional.empty()
        : code.first(
            (flow, at) -> {
              Instruction instruction = flow.instruction(at);
              return (instruction.opcode().equals("atom") || instruction.opcode().equals("red"))
                  && instruction.operands().stream()
                      .anyMatch(operand -> values.isAccess(flow, at, operand));
            },
            "");
  }

  /** Whether the workspace decides whether an instruction runs, other than one about a trap. */
  private static boolean decides(
      PtxModule module, WorkspaceFlow values, FunctionFlow flow, int at) {
    Instruction instruction = flow.instruction(at);
    Instruction.GuardPredicate guard = instruction.guard();
    if (guard == null) {
      return false;
    }
    Held held = values.value(flow, at, new Operand.RegisterUse(guard.predicate(), false));
    if (held.kind() != HeldKind.TEST) {
      return held.kind() == HeldKind.UNCLEAR;
    }
    if (flow.rule(at).control() != Control.BRANCH) {
      return flow.rule(at).control() != Control.TRAP;
    }
    return !traps(module, flow, at + 1) && !traps(module, flow, target(instruction));
  }

  /** Whether nothing but preparations comes before a trap. */
  private static boolean traps(PtxModule module, FunctionFlow flow, int from) {
    int at = from;
    for (int steps = 0; steps < MOST_STEPS && at >= 0 && at < flow.size(); steps++) {
      Instruction instruction = flow.instruction(at);
      boolean isCertain = instruction.guard() == null;
      switch (flow.rule(at).control()) {
        case TRAP -> {
          return isCertain;
        }
        case BRANCH -> {
          if (!isCertain) {
            return false;
          }
          at = target(instruction);
        }
        case CALL -> {
          return isCertain && callsTrap(module, instruction);
        }
        default -> {
          switch (flow.rule(at).effect()) {
            case COMPUTES, READS, WRITES -> at++;
            default -> {
              return false;
            }
          }
        }
      }
    }
    return false;
  }

  private static boolean callsTrap(PtxModule module, Instruction call) {
    String called = CallSite.of(call).name().orElse("");
    return module
        .function(called)
        .filter(PtxFunction::hasBody)
        .map(function -> function.instructions().stream().findFirst())
        .map(
            first ->
                first
                    .filter(each -> each.opcode().equals("trap") && each.guard() == null)
                    .isPresent())
        .orElse(called.equals("__trap") || called.equals("__assertfail"));
  }

  private static int target(Instruction branch) {
    return branch.operands().size() == 1 && branch.operands().get(0) instanceof Operand.Name name
        ? name.label().target()
        : -1;
  }
}

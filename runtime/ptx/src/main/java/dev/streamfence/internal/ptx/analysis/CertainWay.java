package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Label;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;

/**
 * The ways of one thread through a kernel. A branch that the thread's own values decide goes one
 * way; all others may go both. Confined to one thread.
 */
final class CertainWay {
  /** Functions outside of every module that return. */
  private static final Set<String> RETURNING = Set.of("vprintf", "malloc", "free");

  private static final Set<String> ENDS = Set.of("ret", "exit", "trap", "brx");

  private final ModuleAnalysis analysis;
  private final FunctionFlow flow;

  CertainWay(ModuleAnalysis analysis, FunctionFlow flow) {
    this.analysis = analysis;
    this.flow = flow;
  }

  /** Whether a thread that ends runs an instruction on every way. */
  boolean leadsTo(int wanted, ThreadValues values) {
    if (!values.runs(flow.instruction(wanted)).equals(Optional.of(true))) {
      return false;
    }
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    open.add(0);
    boolean reached = false;
    while (!open.isEmpty()) {
      int at = open.remove();
      analysis.charge(1);
      if (at == wanted) {
        reached = true;
      } else if (at < 0 || at >= flow.size()) {
        return false;
      } else if (!seen.get(at)) {
        seen.set(at);
        if (!follow(at, values, open)) {
          return false;
        }
      }
    }
    return reached;
  }

  /** Adds what comes after an instruction; returns false if the thread may end there. */
  private boolean follow(int at, ThreadValues values, Deque<Integer> open) {
    Instruction instruction = flow.instruction(at);
    boolean isBranch = instruction.opcode().equals("bra");
    boolean mayEnd = ENDS.contains(instruction.opcode()) || leaves(instruction);
    if (!isBranch && !mayEnd) {
      open.add(at + 1);
      return true;
    }
    Optional<Boolean> runs = values.runs(instruction);
    if (mayEnd && !runs.equals(Optional.of(false))) {
      return false;
    }
    if (!runs.equals(Optional.of(true))) {
      open.add(at + 1);
    }
    if (isBranch && !runs.equals(Optional.of(false))) {
      Operand target = instruction.operands().isEmpty() ? null : instruction.operands().get(0);
      Label label = target instanceof Operand.Name name ? name.label() : null;
      open.add(label == null ? -1 : label.target());
    }
    return true;
  }

  /** Whether a call may not return. */
  private boolean leaves(Instruction instruction) {
    if (!instruction.opcode().equals("call")) {
      return false;
    }
    for (Operand operand : instruction.operands()) {
      if (operand instanceof Operand.Name name) {
        Optional<PtxFunction> called = analysis.module().function(name.label().name());
        return called.filter(PtxFunction::hasBody).isPresent()
            ? called.get().instructions().stream().anyMatch(CertainWay::mayEnd)
            : !RETURNING.contains(name.label().name());
      }
    }
    return true;
  }

  private static boolean mayEnd(Instruction instruction) {
    return Set.of("exit", "trap", "call", "brx").contains(instruction.opcode());
  }
}

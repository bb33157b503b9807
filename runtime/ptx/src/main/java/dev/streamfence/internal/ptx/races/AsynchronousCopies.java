package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * Whether a kernel's asynchronous copies can be taken for copies by the thread itself, at their
 * instruction: the thread then waits for them before it touches shared memory, stores, or meets
 * other threads. PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy". Stateless.
 */
final class AsynchronousCopies {
  private static final List<StateSpace> APART =
      List.of(StateSpace.GLOBAL, StateSpace.LOCAL, StateSpace.PARAM, StateSpace.CONST);

  private AsynchronousCopies() {}

  /** Whether an instruction copies without a barrier in memory, which a thread can wait for. */
  static boolean isCopy(Instruction instruction) {
    return instruction.opcode().equals("cp")
        && (instruction.has("ca") || instruction.has("cg"))
        && !instruction.has("bulk");
  }

  /** Whether an instruction ends a group of copies, or waits for some or all of them. */
  static boolean isOfGroups(Instruction instruction) {
    return instruction.opcode().equals("cp")
        && !instruction.has("bulk")
        && (instruction.has("commit_group")
            || instruction.has("wait_group")
            || instruction.has("wait_all"));
  }

  /** Whether all copies are over before the thread does something that could depend on them. */
  static boolean areAwaited(FunctionFlow flow, ControlGraph graph) {
    // What a thread may have begun where it enters a block of code.
    BitSet inNoGroup = new BitSet();
    BitSet inGroups = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    for (int block = 0; block < graph.size(); block++) {
      open.add(block);
    }
    while (!open.isEmpty()) {
      int block = open.remove();
      boolean isInNoGroup = inNoGroup.get(block);
      boolean isInGroups = inGroups.get(block);
      for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
        Instruction instruction = flow.instruction(i);
        if (isCopy(instruction)) {
          isInNoGroup = true;
        } else if (isOfGroups(instruction)) {
          boolean isAlways = instruction.guard() == null;
          isInGroups |= isInNoGroup && instruction.has("commit_group");
          isInNoGroup &= !isAlways || instruction.has("wait_group");
          isInGroups &= !isAlways || !waitsForAll(instruction);
        } else if ((isInNoGroup || isInGroups) && mayDepend(instruction, flow.rule(i))) {
          return false;
        }
      }
      if ((isInNoGroup || isInGroups) && graph.block(block).leaves()) {
        return false;
      }
      for (int next : graph.block(block).successors()) {
        boolean isMore =
            (isInNoGroup && !inNoGroup.get(next)) || (isInGroups && !inGroups.get(next));
        if (isMore) {
          inNoGroup.set(next, isInNoGroup || inNoGroup.get(next));
          inGroups.set(next, isInGroups || inGroups.get(next));
          open.add(next);
        }
      }
    }
    return true;
  }

  private static boolean waitsForAll(Instruction instruction) {
    return instruction.has("wait_all")
        || (instruction.has("wait_group")
            && instruction.operands().get(0) instanceof Operand.IntegerLiteral number
            && number.value() == 0);
  }

  private static boolean mayDepend(Instruction instruction, Opcode rule) {
    if (BarrierIntervals.isAnyBarrier(instruction)) {
      return true;
    }
    return switch (rule.effect()) {
      case COMPUTES -> false;
      case READS -> instruction.spaces().isEmpty() || !APART.containsAll(instruction.spaces());
      case NO_ACCESS -> rule.control() == Opcode.Control.NEXT;
      default -> true;
    };
  }
}

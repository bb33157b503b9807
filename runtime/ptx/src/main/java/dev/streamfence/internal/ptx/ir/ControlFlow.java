package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Label;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The basic blocks of a function, and the instructions that control can reach. */
final class ControlFlow {
  private final List<Instruction> instructions;
  private final Opcode[] rules;
  private final ConstantPredicates predicates;
  private final BitSet leaders = new BitSet();
  private final BitSet reachable = new BitSet();

  /** Labels already visited: a list of targets may be long, and used often. */
  private final Set<Label> named = new HashSet<>();

  private final Set<Label> jumpedTo = new HashSet<>();

  ControlFlow(PtxFunction function, Opcode[] rules, ConstantPredicates predicates) {
    instructions = function.instructions();
    this.rules = rules;
    this.predicates = predicates;
    for (int i = 0; i < instructions.size(); i++) {
      Instruction instruction = instructions.get(i);
      if (rules[i].control().isBranch() || rules[i].control().leaves()) {
        leaders.set(i + 1);
      }
      for (Operand operand : instruction.operands()) {
        if (operand instanceof Operand.Name name && named.add(name.label())) {
          lead(name.label());
          name.label().branchTargets().forEach(this::lead);
        }
      }
    }
    reach();
  }

  private void lead(Label label) {
    if (label.target() >= 0) {
      leaders.set(label.target());
    }
  }

  /** Returns whether an instruction starts a basic block. */
  boolean isLeader(int instruction) {
    return leaders.get(instruction);
  }

  /** Returns whether control can reach an instruction. A branch on a constant goes one way only. */
  boolean isReachable(int instruction) {
    return reachable.get(instruction);
  }

  private void reach() {
    Deque<Integer> open = new ArrayDeque<>();
    open.add(0);
    while (!open.isEmpty()) {
      int at = open.remove();
      while (at < instructions.size() && !reachable.get(at)) {
        reachable.set(at);
        Instruction instruction = instructions.get(at);
        Opcode.Control control = rules[at].control();
        boolean jumps = control.isBranch() && predicates.mayRun(instruction);
        if (jumps && !jump(instruction, open)) {
          reachable.set(0, instructions.size());
          return;
        }
        boolean leaves = jumps || (control.leaves() && predicates.mayRun(instruction));
        if (leaves && predicates.mustRun(instruction)) {
          break;
        }
        at++;
      }
    }
  }

  /** Adds the targets of a jump to those to visit; returns whether they are known. */
  private boolean jump(Instruction instruction, Deque<Integer> open) {
    boolean known = false;
    for (Operand operand : instruction.operands()) {
      if (operand instanceof Operand.Name name) {
        Label label = name.label();
        known = true;
        if (!jumpedTo.add(label)) {
          continue;
        }
        List<Label> targets = label.branchTargets();
        for (Label target : targets.isEmpty() ? List.of(label) : targets) {
          if (target.target() < 0) {
            return false;
          }
          open.add(target.target());
        }
      }
    }
    return known;
  }
}

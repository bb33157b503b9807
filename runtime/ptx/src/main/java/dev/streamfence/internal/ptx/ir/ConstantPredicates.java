package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The predicates of a function that are assigned only once, and to a constant. Debug builds branch
 * on such predicates where the source decides at compile time.
 */
final class ConstantPredicates {
  private final Map<Integer, Boolean> values = new HashMap<>();

  /**
   * Finds them.
   *
   * @param registers the registers that each instruction may assign
   */
  ConstantPredicates(PtxFunction function, int[][] registers) {
    BitSet assigned = new BitSet();
    BitSet ambiguous = new BitSet();
    for (List<PtxFunction.Formal> formals : List.of(function.parameters(), function.returns())) {
      for (PtxFunction.Formal formal : formals) {
        if (formal instanceof PtxFunction.Formal.InRegister passed) {
          ambiguous.set(passed.register().index());
        }
      }
    }
    for (int i = 0; i < registers.length; i++) {
      Instruction instruction = function.instructions().get(i);
      for (int register : registers[i]) {
        (assigned.get(register) ? ambiguous : assigned).set(register);
      }
      if (isConstantMove(instruction)) {
        int register = ((Operand.RegisterUse) instruction.operands().get(0)).register().index();
        values.put(register, ((Operand.IntegerLiteral) instruction.operands().get(1)).value() != 0);
      }
    }
    values.keySet().removeIf(ambiguous::get);
  }

  private static boolean isConstantMove(Instruction instruction) {
    return instruction.guard() == null
        && instruction.opcode().equals("mov")
        && instruction.modifiers().equals(List.of("pred"))
        && instruction.operands().size() == 2
        && instruction.operands().get(0) instanceof Operand.RegisterUse
        && instruction.operands().get(1) instanceof Operand.IntegerLiteral;
  }

  boolean mayRun(Instruction instruction) {
    Instruction.GuardPredicate guard = instruction.guard();
    if (guard == null) {
      return true;
    }
    Boolean value = values.get(guard.predicate().index());
    return value == null || value != guard.negated();
  }

  boolean mustRun(Instruction instruction) {
    Instruction.GuardPredicate guard = instruction.guard();
    return guard == null || (values.containsKey(guard.predicate().index()) && mayRun(instruction));
  }
}

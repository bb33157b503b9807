package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.Register;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The numbers of barriers that are passed to a function, as code that is not optimised does it:
 * which barrier a thread waits at is then known only once the call is followed. Stateless.
 */
final class BarrierNumbers {
  /** Through how many registers a number is followed. */
  private static final int MAX_MOVES = 8;

  private BarrierNumbers() {}

  /** Writes the number of a barrier that a register has, if the code gives it no other one. */
  static List<Instruction> written(List<Instruction> code) {
    boolean hasBarriers = code.stream().anyMatch(BarrierNumbers::isBarrier);
    Map<Integer, Operand> sources = hasBarriers ? sources(code) : Map.of();
    return code.stream().map(each -> isBarrier(each) ? written(each, sources) : each).toList();
  }

  private static boolean isBarrier(Instruction instruction) {
    return instruction.opcode().equals("bar") || instruction.opcode().equals("barrier");
  }

  private static Instruction written(Instruction barrier, Map<Integer, Operand> sources) {
    return new Instruction(
        barrier.line(),
        barrier.guard(),
        barrier.words(),
        barrier.operands().stream().map(each -> written(each, sources)).toList(),
        barrier.source());
  }

  private static Operand written(Operand operand, Map<Integer, Operand> sources) {
    Operand found = operand;
    for (int i = 0; i < MAX_MOVES && found instanceof Operand.RegisterUse use; i++) {
      found = sources.getOrDefault(use.register().index(), operand);
    }
    return found instanceof Operand.IntegerLiteral ? found : operand;
  }

  /**
   * What is moved to the registers that one instruction alone assigns. Where it has not run, they
   * have no value.
   */
  private static Map<Integer, Operand> sources(List<Instruction> code) {
    Map<Integer, Operand> found = new HashMap<>();
    BitSet assigned = new BitSet();
    BitSet ambiguous = new BitSet();
    for (Instruction instruction : code) {
      List<Operand> operands = instruction.operands();
      Opcode rule = OpcodeTable.rule(instruction);
      for (int i = 0; i < operands.size(); i++) {
        if (rule.mayAssign(i)) {
          for (Register register : operands.get(i).registers()) {
            for (int at = 0; at < register.vectorLength(); at++) {
              int index = register.index() + at;
              (assigned.get(index) ? ambiguous : assigned).set(index);
            }
          }
        }
      }
      if (instruction.opcode().equals("mov")
          && instruction.guard() == null
          && operands.size() == 2
          && operands.get(0) instanceof Operand.RegisterUse target) {
        found.put(target.register().index(), operands.get(1));
      }
    }
    found.keySet().removeIf(ambiguous::get);
    return found;
  }
}

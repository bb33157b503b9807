package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.AddressJudge;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.List;
import java.util.Optional;

/**
 * Finds the instruction where a pointer gets out of sight: before it, it is clear to which
 * parameters the values belong, and after it, it is not. Follows the value back within its
 * function, for a bounded number of steps. Stateless.
 */
final class OutOfSight {
  private static final int MAX_STEPS = 32;

  /** More assignments of one register than a chain of selections has. */
  private static final int MAX_WRITERS = 16;

  private OutOfSight() {}

  /**
   * Returns the instruction that makes an address unclear.
   *
   * @param access an instruction
   * @param address its operand with the unclear address
   * @return another instruction, if there is one
   */
  static Optional<Step> find(Step access, Operand address) {
    FunctionFlow flow = access.activation().flow();
    int register = register(address);
    int at = access.index();
    for (int i = 0; i < MAX_STEPS && register >= 0; i++) {
      int writer = writer(flow, flow.slots().use(at, register));
      if (writer < 0) {
        break;
      }
      at = writer;
      register = unclearSource(new Step(access.activation(), at));
    }
    return at == access.index() ? Optional.empty() : Optional.of(new Step(access.activation(), at));
  }

  /** Returns the last instruction that assigns to a slot something else than a change of it. */
  private static int writer(FunctionFlow flow, int slot) {
    int[] writers = flow.writers(slot);
    int found = -1;
    for (int i = 0; i < Math.min(writers.length, MAX_WRITERS); i++) {
      found = isChangeOf(flow, writers[i], slot) ? found : writers[i];
    }
    return found;
  }

  private static boolean isChangeOf(FunctionFlow flow, int instruction, int slot) {
    for (Operand operand : sources(flow.instruction(instruction))) {
      int register = register(operand);
      if (register >= 0 && flow.slots().use(instruction, register) == slot) {
        return true;
      }
    }
    return false;
  }

  /** Returns the register that makes the result of a computation unclear; negative if none does. */
  private static int unclearSource(Step step) {
    if (step.activation().flow().rule(step.index()).effect() != Opcode.Effect.COMPUTES) {
      return -1;
    }
    for (Operand operand : sources(step.instruction())) {
      int register = register(operand);
      if (register >= 0) {
        Activation activation = step.activation();
        int slot = activation.flow().slots().use(step.index(), register);
        if (isUnclear(activation.slot(slot))) {
          return register;
        }
      }
    }
    return -1;
  }

  /** Returns the operands after the result. */
  private static List<Operand> sources(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    return operands.isEmpty() ? operands : operands.subList(1, operands.size());
  }

  private static boolean isUnclear(Provenance value) {
    AddressJudge judge = AddressJudge.of(value);
    return !judge.isDefinite() && !judge.touched().isEmpty();
  }

  private static int register(Operand operand) {
    Operand base = operand instanceof Operand.Memory memory ? memory.base() : operand;
    return base instanceof Operand.RegisterUse use ? use.register().index() : -1;
  }
}

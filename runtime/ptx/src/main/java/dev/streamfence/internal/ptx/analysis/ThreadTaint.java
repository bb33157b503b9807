package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the value of a register is computed from the number of the thread, and from the address
 * of which variable in shared memory. Confined to one thread.
 */
final class ThreadTaint extends ForwardFlow<ThreadTaint.Taint> {
  /** Any local variable: debug code keeps its variables there. */
  private static final int LOCAL = -1;

  /**
   * The origin of a value.
   *
   * @param fromThread whether it is computed from the number of the thread
   * @param tile the variable in shared memory from whose address it is computed, if from one
   */
  record Taint(boolean fromThread, @Nullable Variable tile) {
    static final Taint CONSTANT = new Taint(false, null);
  }

  private ThreadTaint(ReachedCode code) {
    super(code.flows(), Taint.CONSTANT);
  }

  static ThreadTaint of(ModuleAnalysis analysis, ReachedCode code) {
    ThreadTaint taint = new ThreadTaint(code);
    do {
      analysis.charge(code.instructions());
    } while (taint.spread());
    return taint;
  }

  @Override
  Taint join(Taint one, Taint other) {
    return new Taint(one.fromThread || other.fromThread, one.tile == null ? other.tile : one.tile);
  }

  /** The origin of an operand. */
  Taint value(FunctionFlow flow, int at, Operand operand) {
    if (operand instanceof Operand.SpecialRegister special) {
      return new Taint(reads(special, "%tid") || special.name().equals("%warpid"), null);
    }
    Taint value = Taint.CONSTANT;
    if (operand instanceof Operand.VariableAddress address) {
      return address.variable().space() == StateSpace.SHARED
          ? new Taint(false, address.variable())
          : value;
    }
    for (Register register : operand.registers()) {
      value = join(value, held(flow, at, register.index()));
    }
    return value;
  }

  /** Whether an operand is a special register, or one dimension of it. */
  static boolean reads(Operand operand, String register) {
    return operand instanceof Operand.SpecialRegister special
        && (special.name().equals(register) || special.name().startsWith(register + "."));
  }

  @Override
  void evaluate(FunctionFlow flow, int at, Instruction instruction) {
    List<Operand> operands = instruction.operands();
    if (operands.isEmpty()) {
      return;
    }
    Taint sources = Taint.CONSTANT;
    for (Operand operand : operands.subList(1, operands.size())) {
      sources = join(sources, source(flow, at, operand));
    }
    if (!(operands.get(0) instanceof Operand.Memory place)) {
      assign(flow, at, operands.get(0), sources);
    } else if (place.base() instanceof Operand.VariableAddress address) {
      store(id(address.variable()), 0, 0, sources);
    } else if (mayBeLocal(instruction)) {
      store(LOCAL, 0, 0, sources);
    }
  }

  /** The origin of what an instruction takes from an operand. */
  private Taint source(FunctionFlow flow, int at, Operand operand) {
    Instruction instruction = flow.instruction(at);
    if (operand instanceof Operand.Memory place) {
      if (place.base() instanceof Operand.VariableAddress address) {
        return held(id(address.variable()), 0, 0);
      }
      return mayBeLocal(instruction) ? held(LOCAL, 0, 0) : Taint.CONSTANT;
    }
    // A result that comes from memory does not come from the operands.
    boolean loads = "dDL".indexOf(flow.rule(at).letter(0)) >= 0;
    return loads ? Taint.CONSTANT : value(flow, at, operand);
  }

  /** Whether an instruction accesses local memory, or names no space. */
  private static boolean mayBeLocal(Instruction instruction) {
    return instruction.spaces().stream().allMatch(space -> space == StateSpace.LOCAL);
  }

  @Override
  int id(Variable variable) {
    return variable.space() == StateSpace.LOCAL ? LOCAL : variable.id();
  }
}

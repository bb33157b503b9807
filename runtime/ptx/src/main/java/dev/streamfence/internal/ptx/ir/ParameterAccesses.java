package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** How the code of a function accesses its variables in parameter space. Immutable. */
public final class ParameterAccesses {
  /** The bits of the numbers at each offset of each variable, by the number of the variable. */
  private final Map<Integer, TreeMap<Long, Integer>> numbers = new HashMap<>();

  /** The variables that are used in another way than by numbers that lie apart. */
  private final Set<Integer> others = new TreeSet<>();

  /** How often each variable is passed to a function. */
  private final Map<Integer, Integer> passed = new HashMap<>();

  ParameterAccesses(PtxFunction function) {
    for (Instruction instruction : function.instructions()) {
      Variable variable = variable(instruction);
      if (variable != null) {
        add(variable, instruction);
      } else {
        boolean isCall = instruction.opcode().equals("call");
        for (Operand operand : instruction.operands()) {
          operand.forEachSimple(each -> mention(each, isCall));
        }
      }
    }
  }

  /** The variable that a load or store of parameter space accesses; null if it is none. */
  public static @Nullable Variable variable(Instruction instruction) {
    Operand.Memory memory = memory(instruction);
    return memory != null
            && memory.base() instanceof Operand.VariableAddress address
            && memory.more().isEmpty()
        ? address.variable()
        : null;
  }

  /** Where it does. */
  public static long offset(Instruction instruction) {
    Operand.Memory memory = memory(instruction);
    return memory != null && memory.base() instanceof Operand.VariableAddress address
        ? address.offset() + memory.offset()
        : 0;
  }

  private static Operand.@Nullable Memory memory(Instruction instruction) {
    boolean loads = instruction.opcode().equals("ld");
    boolean isAccess = loads || instruction.opcode().equals("st");
    return isAccess
            && instruction.operands().size() == 2
            && instruction.spaces().contains(StateSpace.PARAM)
            && instruction.operands().get(loads ? 1 : 0) instanceof Operand.Memory memory
        ? memory
        : null;
  }

  private void add(Variable variable, Instruction instruction) {
    ScalarType type = instruction.type();
    int count = instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
    boolean isNumber = type != null && type.bits >= Byte.SIZE && type.bits <= Long.SIZE;
    if (type == null || !isNumber) {
      others.add(variable.id());
      return;
    }
    TreeMap<Long, Integer> known = numbers.computeIfAbsent(variable.id(), id -> new TreeMap<>());
    for (int i = 0; i < count; i++) {
      long offset = offset(instruction) + (long) i * type.bytes();
      if (known.getOrDefault(offset, type.bits) != type.bits) {
        others.add(variable.id());
      }
      known.put(offset, type.bits);
    }
  }

  private void mention(Operand operand, boolean isCall) {
    if (operand instanceof Operand.VariableAddress address
        && address.variable().space() == StateSpace.PARAM) {
      if (isCall) {
        passed.merge(address.variable().id(), 1, Integer::sum);
      } else {
        others.add(address.variable().id());
      }
    }
  }

  /** The bits at each offset of a variable that is passed once; null if that says not all. */
  @Nullable Map<Long, Integer> passed(Variable variable) {
    return others.contains(variable.id()) || passed.getOrDefault(variable.id(), 0) != 1
        ? null
        : numbers.getOrDefault(variable.id(), new TreeMap<>());
  }

  /** The bits at each offset of a parameter or result; null if that says not all. */
  @Nullable Map<Long, Integer> received(Variable variable) {
    return others.contains(variable.id()) || passed.containsKey(variable.id())
        ? null
        : numbers.getOrDefault(variable.id(), new TreeMap<>());
  }
}

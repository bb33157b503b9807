package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The registers that stand for a parameter or a result of a call, by their offset. Immutable. */
final class ParameterRegisters {
  private final TreeMap<Long, Register> registers = new TreeMap<>();

  /** The bits of the number at an offset, which may be less than those of its register. */
  private final Map<Long, Integer> bits;

  private ParameterRegisters(Map<Long, Integer> bits, int first) {
    this.bits = bits;
    int next = first;
    for (Map.Entry<Long, Integer> number : bits.entrySet()) {
      ScalarType type =
          switch (number.getValue()) {
            case Long.SIZE -> ScalarType.B64;
            case Integer.SIZE -> ScalarType.B32;
            default -> ScalarType.B16;
          };
      registers.put(number.getKey(), new Register("%param" + next, type, 1, next));
      next++;
    }
  }

  /**
   * The registers of a variable that two functions access; null if they do not do so by the same
   * numbers.
   *
   * @param first the first register that is free
   */
  static @Nullable ParameterRegisters of(
      @Nullable Map<Long, Integer> passed, @Nullable Map<Long, Integer> received, int first) {
    if (passed == null || received == null) {
      return null;
    }
    TreeMap<Long, Integer> all = new TreeMap<>(passed);
    for (Map.Entry<Long, Integer> number : received.entrySet()) {
      if (!number.getValue().equals(all.getOrDefault(number.getKey(), number.getValue()))) {
        return null;
      }
      all.put(number.getKey(), number.getValue());
    }
    long end = Long.MIN_VALUE;
    for (Map.Entry<Long, Integer> number : all.entrySet()) {
      if (number.getKey() < end) {
        return null;
      }
      end = number.getKey() + number.getValue() / Byte.SIZE;
    }
    return new ParameterRegisters(all, first);
  }

  int count() {
    return registers.size();
  }

  /** What a load or store of the variable is between registers. */
  List<Instruction> moves(Instruction access) {
    ScalarType type = access.type();
    boolean loads = access.opcode().equals("ld");
    List<Operand> parts = access.operands().get(loads ? 0 : 1).parts();
    List<Instruction> moves = new ArrayList<>();
    for (int i = 0; i < parts.size() && type != null; i++) {
      long offset = ParameterAccesses.offset(access) + (long) i * type.bytes();
      Register register = registers.get(offset);
      Operand part = parts.get(i);
      if (register == null || part instanceof Operand.Sink) {
        continue;
      }
      Operand own = new Operand.RegisterUse(register, false);
      moves.add(loads ? load(access, type, part, own) : store(access, own, part, offset));
    }
    return moves;
  }

  private static Instruction load(
      Instruction access, ScalarType type, Operand target, Operand own) {
    int wide = width(target, type.bits);
    String kind = type.kind == ScalarType.NumberKind.SIGNED ? "s" : "u";
    String opcode =
        wide == type.bits ? "mov.b" + wide : "cvt." + kind + wide + "." + kind + type.bits;
    return InlinedCalls.with(access, opcode, List.of(target, own));
  }

  private Instruction store(Instruction access, Operand own, Operand value, long offset) {
    int narrow = bits.getOrDefault(offset, 0);
    int wide = width(value, narrow);
    int kept = Math.max(narrow, Short.SIZE);
    String opcode = wide > kept ? "cvt.u" + kept + ".u" + wide : "mov.b" + kept;
    return InlinedCalls.with(access, opcode, List.of(own, value));
  }

  /** The bits of a register; {@code otherwise} of a number. */
  private static int width(Operand operand, int otherwise) {
    if (operand instanceof Operand.RegisterUse use) {
      return use.register().type().bits;
    }
    return operand instanceof Operand.Element element ? element.register().type().bits : otherwise;
  }
}

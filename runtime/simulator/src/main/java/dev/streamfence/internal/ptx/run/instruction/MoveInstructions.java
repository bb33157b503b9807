package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.Windows;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.List;
import java.util.Map;

/** Instructions that move values and addresses between registers. */
final class MoveInstructions {
  private MoveInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("mov", MoveInstructions::move);
    translators.put("cvta", MoveInstructions::convertAddress);
    translators.put("isspacep", MoveInstructions::isSpace);
    translators.put("createpolicy", MoveInstructions::createPolicy);
  }

  private static Op move(Translation t) {
    ScalarType type = t.type();
    t.expectOperands(2, 2);
    if (t.operand(0) instanceof Operand.Vector parts) {
      return unpack(t, type, parts.elements());
    }
    if (t.operand(1) instanceof Operand.Vector parts) {
      return pack(t, type, parts.elements(), t.destination(0, type));
    }
    return IntegerInstructions.refuse(t);
  }

  private static ScalarType part(Translation t, ScalarType whole, int parts) {
    return switch (parts == 0 ? 0 : whole.bits / parts) {
      case 8 -> ScalarType.B8;
      case 16 -> ScalarType.B16;
      case 32 -> ScalarType.B32;
      case 64 -> ScalarType.B64;
      default -> throw t.unsupported("it cannot divide " + whole + " into " + parts + " parts");
    };
  }

  private static Op unpack(Translation t, ScalarType type, List<Operand> parts) {
    if (type.bits > 64) {
      throw t.unsupported("128 bits do not fit a register");
    }
    ScalarType part = part(t, type, parts.size());
    int[] d = new int[parts.size()];
    for (int i = 0; i < d.length; i++) {
      d[i] = t.function().destination(t, parts.get(i), part);
    }
    int x = t.source(1, type);
    long mask = part.mask();
    int width = part.bits;
    return lane -> {
      long[] r = lane.registers;
      long value = r[x];
      for (int i = 0; i < d.length; i++) {
        r[d[i]] = value >>> (i * width) & mask;
      }
    };
  }

  private static Op pack(Translation t, ScalarType type, List<Operand> parts, int d) {
    if (type.bits > 64) {
      throw t.unsupported("128 bits do not fit a register");
    }
    ScalarType part = part(t, type, parts.size());
    int[] x = new int[parts.size()];
    for (int i = 0; i < x.length; i++) {
      x[i] = t.function().source(t, parts.get(i), part);
    }
    long mask = part.mask();
    int width = part.bits;
    return lane -> {
      long[] r = lane.registers;
      long value = 0;
      for (int i = 0; i < x.length; i++) {
        value |= (r[x[i]] & mask) << (i * width);
      }
      r[d] = value;
    };
  }

  private static ScalarType addressType(Translation t) {
    ScalarType type = t.type();
    if (type.bits != 64) {
      throw t.unsupported("addresses have 64 bits");
    }
    return type;
  }

  private static Op convertAddress(Translation t) {
    boolean toSpace = t.has("to");
    StateSpace space = t.space().orElseThrow(() -> t.unsupported("it names no state space"));
    ScalarType type = addressType(t);
    long base = Windows.base(space);
    long difference = toSpace ? -base : base;
    return Steps.unary(t, type, a -> a + difference);
  }

  private static Op isSpace(Translation t) {
    StateSpace space = t.space().orElseThrow(() -> t.unsupported("it names no state space"));
    return Steps.unary(
        t, ScalarType.PRED, ScalarType.B64, a -> Windows.spaceOf(a) == space ? 1 : 0);
  }

  /** Makes a cache policy, which has no effect here. */
  private static Op createPolicy(Translation t) {
    while (t.startingWith("L2::").isPresent()) {
      // Each names a policy of a cache, which is not simulated.
    }
    t.oneOf("fractional", "range");
    t.has("global");
    ScalarType type = addressType(t);
    int d = t.destination(0, type);
    return lane -> lane.registers[d] = 0;
  }
}

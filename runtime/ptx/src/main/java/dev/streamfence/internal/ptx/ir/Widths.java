package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.List;
import java.util.Set;

/** How wide the results and the accesses of instructions are. Stateless. */
public final class Widths {
  /** Instructions that move whole words between registers and consecutive bytes of memory. */
  private static final Set<String> PLAIN = Set.of("ld", "ldu", "st", "atom", "red");

  private Widths() {}

  /** Returns the bits of a result; 64 if the instruction names no type. */
  public static int result(Instruction instruction) {
    List<ScalarType> types = instruction.types();
    if (types.isEmpty()) {
      return Long.SIZE;
    }
    return instruction.has("wide") ? 2 * types.get(0).bits : types.get(0).bits;
  }

  /** Returns whether the registers of an operand are consecutive bytes of memory, in order. */
  public static boolean isPlain(Instruction instruction) {
    return PLAIN.contains(instruction.opcode());
  }

  /** Returns the bytes of one element of an access; 8 if the instruction names no type. */
  public static int element(Instruction instruction) {
    ScalarType type = instruction.type();
    return type == null ? Long.BYTES : type.bytes();
  }

  /** Returns the bytes that a load, a store or an atomic operation touches; 0 if unknown. */
  public static int access(Instruction instruction) {
    ScalarType type = instruction.type();
    if (!isPlain(instruction)
        || type == null
        || instruction.has("async")
        || instruction.has("bulk")) {
      return copied(instruction);
    }
    int count = instruction.has("v8") ? 8 : instruction.has("v4") ? 4 : 1;
    return type.bytes() * (instruction.has("v2") ? 2 : count);
  }

  /** Returns whether an instruction touches all the bytes of its width whenever it runs. */
  public static boolean touchesAll(Instruction instruction) {
    // A fourth operand may be the number of bytes read; another number or a register may mean
    // fewer.
    List<Operand> operands = instruction.operands();
    return !instruction.opcode().equals("cp")
        || operands.size() < 4
        || (operands.get(3) instanceof Operand.IntegerLiteral read
            && operands.get(2) instanceof Operand.IntegerLiteral copied
            && read.value() == copied.value());
  }

  /** The bytes that an asynchronous copy touches at most. */
  private static int copied(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    List<String> modifiers = instruction.modifiers();
    return instruction.opcode().equals("cp")
            && modifiers.size() > 1
            && modifiers.get(0).equals("async")
            && (modifiers.get(1).equals("ca") || modifiers.get(1).equals("cg"))
            && operands.size() > 2
            && operands.get(2) instanceof Operand.IntegerLiteral bytes
        ? (int) bytes.value()
        : 0;
  }

  /** Returns the least that an instruction counts to: the place of a bit is -1 if there is none. */
  public static long countsAtLeast(Instruction instruction) {
    return instruction.opcode().equals("bfind") ? -1 : 0;
  }

  /** Returns the most that an instruction counts to; 0 if it does not count bits. */
  public static long countsAtMost(Instruction instruction) {
    ScalarType type = instruction.type();
    return switch (instruction.opcode()) {
      case "popc", "clz" -> type == null ? 0 : type.bits;
      case "bfind" -> type == null ? 0 : type.bits - 1;
      default -> 0;
    };
  }
}

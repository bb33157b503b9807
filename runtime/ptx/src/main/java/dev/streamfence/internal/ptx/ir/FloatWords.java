package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.ir.Opcode.Effect;
import dev.streamfence.internal.ptx.ir.Opcode.Transfer;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What code does with the floating-point numbers that it loads and stores. Stateless. */
public final class FloatWords {
  private FloatWords() {}

  /** Returns whether an access is one of several words. */
  public static boolean areVector(Instruction access) {
    return !access.operands().stream().allMatch(Operand::isSingle);
  }

  /**
   * Returns the width of the words of a plain load or store, alone or in a vector, or of an atomic
   * operation; 0 if they are no floating-point numbers of 32 or 64 bits.
   */
  public static int width(Instruction access) {
    ScalarType type = access.type();
    return Widths.isPlain(access) && (type == ScalarType.F32 || type == ScalarType.F64)
        ? type.bytes()
        : 0;
  }

  /**
   * Returns whether the code computes with a word that an access loads, or computes one that it
   * stores. Code that copies may move any bits in registers for numbers.
   */
  public static boolean areComputed(FunctionFlow flow, int access) {
    return IntStream.range(0, count(flow, access)).anyMatch(word -> isComputed(flow, access, word));
  }

  /** Returns how many words of an access can be told apart. */
  public static int count(FunctionFlow flow, int access) {
    return value(flow, access).parts().size();
  }

  /** Returns whether the code computes with one word of an access, see {@link #areComputed}. */
  public static boolean isComputed(FunctionFlow flow, int access, int word) {
    Effect effect = flow.rule(access).effect();
    if (effect == Effect.ATOMIC) {
      return true;
    }
    ScalarType type = flow.instruction(access).type();
    return Arrays.stream(value(flow, access).parts().get(word).registerIndexes())
        .flatMap(
            register ->
                effect == Effect.WRITES
                    ? writers(flow, access, register)
                    : users(flow, access, register))
        .anyMatch(other -> computes(flow, other, type));
  }

  /** What an instruction loads or stores. */
  private static Operand value(FunctionFlow flow, int access) {
    boolean isStore = flow.rule(access).effect() == Effect.WRITES;
    return flow.instruction(access).operands().get(isStore ? 1 : 0);
  }

  private static IntStream writers(FunctionFlow flow, int at, int register) {
    return Arrays.stream(flow.writers(flow.slots().use(at, register)));
  }

  private static IntStream users(FunctionFlow flow, int at, int register) {
    int slot = flow.slots().assignment(at, register);
    IntStream users = Arrays.stream(flow.users(slot));
    return slot != register && flow.slots().isLasting(slot)
        ? IntStream.concat(users, Arrays.stream(flow.users(register)))
        : users;
  }

  private static boolean computes(FunctionFlow flow, int at, @Nullable ScalarType type) {
    Transfer transfer = flow.rule(at).transfer();
    return flow.rule(at).effect() == Effect.COMPUTES
        && transfer != Transfer.FIRST
        && transfer != Transfer.SELECT
        && type != null
        && flow.instruction(at).types().contains(type);
  }
}

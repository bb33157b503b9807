package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.ir.Opcode.Effect;
import dev.streamfence.internal.ptx.ir.Opcode.Transfer;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What code does with the words that a load, a store or an atomic operation moves between memory
 * and registers: it computes with them as numbers of some kind, or only moves them on. Of registers
 * that are assigned in several places, not all uses are found. Stateless.
 */
public final class WordUses {
  private WordUses() {}

  /** Returns whether an access is one of several words. */
  public static boolean areVector(Instruction access) {
    return !access.operands().stream().allMatch(Operand::isSingle);
  }

  /**
   * Returns the width of the words of an access, alone or in a vector; 0 if they are no
   * floating-point numbers of 32 or 64 bits.
   */
  public static int floatBytes(Instruction access) {
    ScalarType type = access.type();
    return Widths.isPlain(access) && (type == ScalarType.F32 || type == ScalarType.F64)
        ? type.bytes()
        : 0;
  }

  /** Returns how many words of an access can be told apart; 0 if it is no plain one. */
  public static int count(FunctionFlow flow, int access) {
    Instruction instruction = flow.instruction(access);
    if (!Widths.isPlain(instruction)) {
      return 0;
    }
    return flow.rule(access).effect() == Effect.ATOMIC
        ? Widths.access(instruction) / Widths.element(instruction)
        : words(flow, access).size();
  }

  /** Returns whether the code computes with any word of an access as floating-point numbers. */
  public static boolean areFloats(FunctionFlow flow, int access) {
    return IntStream.range(0, count(flow, access)).anyMatch(word -> isFloat(flow, access, word));
  }

  /**
   * Returns whether the code computes with a word as a floating-point number. It may move the word
   * once before that, since compilers load vectors of different numbers as integers.
   */
  public static boolean isFloat(FunctionFlow flow, int access, int word) {
    int bytes = Widths.element(flow.instruction(access));
    ScalarType type =
        bytes == Double.BYTES ? ScalarType.F64 : bytes == Float.BYTES ? ScalarType.F32 : null;
    if (type == null) {
      return false;
    }
    if (flow.rule(access).effect() == Effect.ATOMIC) {
      return flow.instruction(access).types().contains(type);
    }
    boolean isStore = isStore(flow, access);
    IntPredicate computes = at -> computes(flow, at) && type == numbers(flow, at, isStore);
    IntPredicate moves =
        at ->
            isMove(flow.instruction(at))
                && isAny(
                    flow,
                    at,
                    flow.instruction(at).operands().get(isStore ? 1 : 0),
                    isStore,
                    computes);
    return isAny(flow, access, words(flow, access).get(word), isStore, computes.or(moves));
  }

  /** The type of an instruction's result, or of its operands. */
  private static @Nullable ScalarType numbers(FunctionFlow flow, int at, boolean isResult) {
    Instruction instruction = flow.instruction(at);
    return isResult && !instruction.types().isEmpty()
        ? instruction.types().get(0)
        : instruction.type();
  }

  /** Whether an instruction moves one whole register to another. */
  private static boolean isMove(Instruction instruction) {
    return instruction.opcode().equals("mov")
        && instruction.operands().stream().allMatch(Operand::isSingle);
  }

  /** Returns whether the code computes with a word as an integer, or its bits. */
  public static boolean isInteger(FunctionFlow flow, int access, int word) {
    IntPredicate computes =
        at ->
            computes(flow, at)
                && flow.instruction(at).types().stream().allMatch(ScalarType::isInteger);
    return flow.rule(access).effect() == Effect.ATOMIC
        ? computes.test(access)
        : isAny(flow, access, words(flow, access).get(word), isStore(flow, access), computes);
  }

  private static boolean isStore(FunctionFlow flow, int access) {
    return flow.rule(access).effect() == Effect.WRITES;
  }

  /** What a load or a store moves; empty if it lacks an operand. */
  private static List<Operand> words(FunctionFlow flow, int access) {
    List<Operand> operands = flow.instruction(access).operands();
    int place = isStore(flow, access) ? 1 : 0;
    return place < operands.size() ? operands.get(place).parts() : List.of();
  }

  /**
   * Whether something holds of an instruction that gives an operand its value, or uses it.
   *
   * @param gives whether to look at those that give the value
   */
  private static boolean isAny(
      FunctionFlow flow, int at, Operand operand, boolean gives, IntPredicate condition) {
    return Arrays.stream(operand.registerIndexes())
        .flatMap(
            register ->
                Arrays.stream(
                    gives
                        ? flow.writers(flow.slots().use(at, register))
                        : flow.users(flow.slots().assignment(at, register))))
        .anyMatch(condition);
  }

  private static boolean computes(FunctionFlow flow, int at) {
    Effect effect = flow.rule(at).effect();
    Transfer transfer = flow.rule(at).transfer();
    return effect == Effect.ATOMIC
        || (effect == Effect.COMPUTES && transfer != Transfer.FIRST && transfer != Transfer.SELECT);
  }
}

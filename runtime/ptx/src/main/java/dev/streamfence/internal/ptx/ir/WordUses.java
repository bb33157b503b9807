package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.ir.Opcode.Effect;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What code does with the words that a load, a store or an atomic operation moves between memory
 * and registers: it computes with them as numbers of some kind, or only moves them on. Where a
 * register is assigned or used in many places, some uses are not found. Stateless.
 */
public final class WordUses {
  /** How many uses and assignments of one register are looked at: enough for compiled code. */
  private static final int MOST = 16;

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

  /** Returns whether the code computes with a word as a floating-point number. */
  public static boolean isFloat(FunctionFlow flow, int access, int word) {
    int bytes = Widths.element(flow.instruction(access));
    ScalarType type =
        bytes == Double.BYTES ? ScalarType.F64 : bytes == Float.BYTES ? ScalarType.F32 : null;
    return type != null && isComputed(flow, access, word, numbers -> numbers == type);
  }

  /** Returns whether the code computes with a word as an integer, or its bits. */
  public static boolean isInteger(FunctionFlow flow, int access, int word) {
    return isComputed(flow, access, word, ScalarType::isInteger);
  }

  /**
   * Whether an instruction that computes gives a word its value, or uses it. The word may be moved
   * once in between, since compilers load vectors of different numbers as integers.
   *
   * @param isOfKind whether a type is one of such numbers
   */
  private static boolean isComputed(
      FunctionFlow flow, int access, int word, Predicate<ScalarType> isOfKind) {
    boolean isResult = isStore(flow, access);
    IntPredicate computes =
        at -> {
          ScalarType type = numbers(flow.instruction(at), isResult);
          return type != null && computes(flow, at) && isOfKind.test(type);
        };
    if (flow.rule(access).effect() == Effect.ATOMIC) {
      return computes.test(access);
    }
    Operand value = words(flow, access).get(word);
    return isStore(flow, access)
        ? isGiven(
            flow,
            access,
            value,
            computes.or(
                at -> isMove(flow, at) && isGiven(flow, at, operand(flow, at, 1), computes)))
        : isUsed(
            flow,
            access,
            value,
            computes.or(
                at -> isMove(flow, at) && isUsed(flow, at, operand(flow, at, 0), computes)));
  }

  private static Operand operand(FunctionFlow flow, int at, int place) {
    return flow.instruction(at).operands().get(place);
  }

  /** The type of an instruction's result, or of its operands. */
  private static @Nullable ScalarType numbers(Instruction instruction, boolean isResult) {
    return isResult && !instruction.types().isEmpty()
        ? instruction.types().get(0)
        : instruction.type();
  }

  /** Whether an instruction moves one whole register or a number to another register. */
  private static boolean isMove(FunctionFlow flow, int at) {
    List<Operand> operands = flow.instruction(at).operands();
    return flow.instruction(at).opcode().equals("mov")
        && operands.size() == 2
        && operands.stream().allMatch(Operand::isSingle);
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
   * Whether a condition holds of what gives a register its value: of one instruction at least, and
   * of all but those that put a constant there, as before a loop that sums up.
   */
  private static boolean isGiven(
      FunctionFlow flow, int at, Operand operand, IntPredicate condition) {
    for (int register : operand.registerIndexes()) {
      int[] writers = flow.writers(flow.slots().use(at, register), MOST);
      IntPredicate isConstant = other -> isMove(flow, other) && isLiteral(operand(flow, other, 1));
      if (Arrays.stream(writers).anyMatch(condition)
          && Arrays.stream(writers).allMatch(condition.or(isConstant))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLiteral(Operand operand) {
    return operand instanceof Operand.IntegerLiteral || operand instanceof Operand.FloatLiteral;
  }

  /** Whether a condition holds of an instruction that uses a register other than as an address. */
  private static boolean isUsed(
      FunctionFlow flow, int at, Operand operand, IntPredicate condition) {
    for (int register : operand.registerIndexes()) {
      int slot = flow.slots().assignment(at, register);
      IntPredicate takes = other -> takes(flow.instruction(other), register);
      if (flow.isAnyUser(slot, MOST, condition.and(takes))) {
        return true;
      }
    }
    return false;
  }

  private static boolean takes(Instruction instruction, int register) {
    return instruction.operands().stream()
        .filter(operand -> !(operand instanceof Operand.Memory))
        .flatMapToInt(operand -> Arrays.stream(operand.registerIndexes()))
        .anyMatch(each -> each == register);
  }

  /**
   * Whether an instruction computes with operands of one type. Those of a matrix operation have
   * several, and stochastic rounding takes random bits as well.
   */
  private static boolean computes(FunctionFlow flow, int at) {
    Instruction instruction = flow.instruction(at);
    Opcode rule = flow.rule(at);
    if (rule.effect() == Effect.ATOMIC) {
      return Widths.isPlain(instruction) && !instruction.has("exch");
    }
    return rule.effect() == Effect.COMPUTES
        && !instruction.has("rs")
        && switch (rule.transfer()) {
          case FIRST, SELECT, SHUFFLE, MATRIX -> false;
          default -> true;
        };
  }
}

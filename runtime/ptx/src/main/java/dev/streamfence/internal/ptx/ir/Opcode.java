package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The effect of an opcode on memory, the transfer function of its result, and where control goes.
 *
 * @param transfer the transfer function of its result
 * @param operands one letter for each operand, see {@link OpcodeTable}; empty if none of them is an
 *     address
 * @param operation what it computes from numbers, which {@link Computation} decodes; null if it has
 *     no formula
 */
public record Opcode(
    Effect effect,
    Transfer transfer,
    String operands,
    Control control,
    @Nullable Operation operation) {
  /** Where a thread goes from an instruction. */
  public enum Control {
    NEXT,
    BRANCH,
    /** A branch through a table of labels. */
    TABLE_BRANCH,
    CALL,
    RETURN,
    /** The thread ends. */
    EXIT,
    /** The whole run ends. */
    TRAP;

    boolean isBranch() {
      return this == BRANCH || this == TABLE_BRANCH;
    }

    /** Returns whether the thread leaves the function. */
    boolean leaves() {
      return this == RETURN || this == EXIT;
    }
  }

  /** The effect of an instruction on memory. */
  public enum Effect {
    COMPUTES,
    READS,
    WRITES,
    ATOMIC,
    /** Reads one place and writes another. */
    COPIES,
    /** Accesses no memory that a parameter could point to, although it may take an address. */
    NO_ACCESS,
    CALLS,
    /** May read and write all memory that its operands lead to. */
    UNKNOWN
  }

  /** The transfer function of a result: how it depends on the operands after it. */
  public enum Transfer {
    /** There is no result, or it is described with the operands. */
    NONE,
    /** The result is a number. */
    NUMBER,
    /** The result is a number that says whether the operands compare in some way. */
    COMPARE,
    /** The result is a number to which other lanes contribute. */
    LANES,
    /** The result is the first operand. */
    FIRST,
    /** The result is the first or the second operand. */
    SELECT,
    /** The result is any of the operands. */
    JOIN,
    ADD,
    SUBTRACT,
    MULTIPLY,
    MULTIPLY_ADD,
    SHIFT_LEFT,
    AND,
    OR,
    NEGATE,
    CONVERT,
    /** The result contains some bits of the operands. */
    BITS,
    /** The result consists of bits of the first and the second operand, which may have moved up. */
    INSERT,
    /** The result contains some bits of the operands of all lanes. */
    MATRIX,
    /** The result is a small number that is counted from the bits of the first operand. */
    COUNT,
    /** The result depends on all operands. */
    MIX,
    /** The result is the first operand of any lane that runs an instruction of this kind. */
    SHUFFLE,
    /** The result depends on the first operands of all lanes that run such an instruction. */
    REDUCE,
    /** The result is the address of new local memory. */
    ALLOCATE;

    /** Returns whether operands that are the same for two threads give both the same result. */
    public boolean isPerThread() {
      return switch (this) {
        case NONE, NUMBER, LANES, MATRIX, SHUFFLE, REDUCE, ALLOCATE -> false;
        default -> true;
      };
    }

    /** Returns whether other lanes get an operand. */
    public boolean reachesLanes() {
      return this == SHUFFLE || this == REDUCE;
    }
  }

  private static final int[] NO_REGISTERS = {};

  static final Opcode UNKNOWN = new Opcode(Effect.UNKNOWN, Transfer.NONE, "", Control.NEXT, null);

  /** Returns the letter of an operand; {@code ' '} if the rule has none for it. */
  public char letter(int index) {
    return index < operands.length() ? operands.charAt(index) : ' ';
  }

  /** Returns whether an operand is an address that the instruction reads or writes memory at. */
  public boolean isAddress(int index) {
    return "rwb".indexOf(letter(index)) >= 0;
  }

  /** Returns whether the instruction assigns to an operand. */
  public boolean isDestination(int index) {
    if (operands.isEmpty()) {
      return index == 0 && transfer != Transfer.NONE;
    }
    return "dDLA".indexOf(letter(index)) >= 0;
  }

  /** Returns whether the instruction may assign to operands that are no results. */
  public boolean assignsAny() {
    return effect == Effect.UNKNOWN || effect == Effect.CALLS;
  }

  /** Returns whether the instruction may assign to an operand. */
  public boolean mayAssign(int index) {
    return assignsAny() || isDestination(index);
  }

  /** Returns the indexes of the registers that an instruction may assign, without the carry. */
  int[] assigned(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    int[] registers = NO_REGISTERS;
    for (int i = 0; i < operands.size(); i++) {
      if (mayAssign(i)) {
        int[] more = operands.get(i).registerIndexes();
        if (registers.length == 0) {
          registers = more;
        } else if (more.length > 0) {
          int before = registers.length;
          registers = Arrays.copyOf(registers, before + more.length);
          System.arraycopy(more, 0, registers, before, more.length);
        }
      }
    }
    return registers;
  }

  /** Returns whether the instruction may read the registers of an operand. */
  public boolean isSource(int index) {
    return !isDestination(index) || letter(index) == 'A';
  }

  /**
   * Returns whether memory, other code or other threads may receive the value of an operand, or an
   * address that is computed from it.
   */
  public boolean handsOn(int index) {
    return ((assignsAny() || transfer.reachesLanes()) && isSource(index))
        || "vtusA".indexOf(letter(index)) >= 0;
  }

  /** The same place in the flow of control, with any effect. */
  Opcode unknown() {
    return new Opcode(Effect.UNKNOWN, Transfer.NONE, "", control, null);
  }

  Opcode withoutResult() {
    return new Opcode(effect, transfer, operands.substring(1), control, operation);
  }
}

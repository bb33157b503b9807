package dev.streamfence.internal.ptx.analysis.controlflow;

/**
 * The effect of an opcode on memory, and the transfer function of its result.
 *
 * @param transfer the transfer function of its result
 * @param operands one letter for each operand, see {@link OpcodeTable}; empty if none of them is an
 *     address
 */
public record OpcodeRule(Effect effect, Transfer transfer, String operands) {
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
    /** The result is a small number that is counted from the bits of the first operand. */
    COUNT,
    /** The result depends on all operands. */
    MIX,
    /** The result is the first operand of any lane that runs an instruction of this kind. */
    SHUFFLE,
    /** The result depends on the first operands of all lanes that run such an instruction. */
    REDUCE,
    /** The result is the address of new local memory. */
    ALLOCATE
  }

  static final OpcodeRule UNKNOWN = new OpcodeRule(Effect.UNKNOWN, Transfer.NONE, "");

  /** Returns the letter of an operand; {@code ' '} if the rule has none for it. */
  public char letter(int index) {
    return index < operands.length() ? operands.charAt(index) : ' ';
  }

  /** Returns whether the instruction assigns to an operand. */
  public boolean isDestination(int index) {
    if (operands.isEmpty()) {
      return index == 0 && transfer != Transfer.NONE;
    }
    return "dDLA".indexOf(letter(index)) >= 0;
  }

  boolean isSource(int index) {
    return !isDestination(index) || letter(index) == 'A';
  }

  OpcodeRule withoutResult() {
    return new OpcodeRule(effect, transfer, operands.substring(1));
  }
}

package dev.streamfence.internal.ptx.analysis.controlflow;

/**
 * What the access analysis knows about an opcode.
 *
 * @param transfer how its result comes about
 * @param operands one letter for each operand, see {@link OpcodeTable}; empty when none of them is
 *     an address
 */
public record OpcodeRule(Effect effect, Transfer transfer, String operands) {
  /** What an instruction does to memory. */
  public enum Effect {
    COMPUTES,
    READS,
    WRITES,
    ATOMIC,
    /** Reads one place and writes another. */
    COPIES,
    /** Does nothing to memory that a parameter could point to; may take an address all the same. */
    NO_ACCESS,
    CALLS,
    /** Whatever its operands lead to may be read and written. */
    UNKNOWN
  }

  /** What the result has to do with the operands after it. */
  public enum Transfer {
    /** There is no result, or it is described with the operands. */
    NONE,
    /** It is a number. */
    NUMBER,
    /** It is the first of them. */
    FIRST,
    /** It is the first or the second of them. */
    SELECT,
    /** It is any of them. */
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
    /** It holds some bits of them. */
    BITS,
    /** It depends on them all. */
    MIX,
    /** It is the address of new local memory. */
    ALLOCATE
  }

  static final OpcodeRule UNKNOWN = new OpcodeRule(Effect.UNKNOWN, Transfer.NONE, "");

  /** Returns what the operand at this position is, {@code ' '} if the rule does not say. */
  public char letter(int index) {
    return index < operands.length() ? operands.charAt(index) : ' ';
  }

  boolean isDestination(int index) {
    if (operands.isEmpty()) {
      return index == 0 && transfer != Transfer.NONE;
    }
    return "dDA".indexOf(letter(index)) >= 0;
  }

  boolean isSource(int index) {
    return !isDestination(index) || letter(index) == 'A';
  }

  OpcodeRule withoutResult() {
    return new OpcodeRule(effect, transfer, operands.substring(1));
  }
}

package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.ScalarType.NumberKind;
import java.util.Optional;

/**
 * An operation on integers, predicates and addresses, with the types that it has. Floating-point
 * arithmetic is none of them, only moves and choices of such numbers are.
 *
 * <p>Its operands are described by one letter each: {@code t} has the type of the instruction,
 * {@code r} that of the result, {@code d} is a distance or a place among bits, {@code p} a
 * predicate. The same goes for its result, where {@code c} is a count of bits.
 */
public enum Operation {
  /** The operand itself. */
  MOVE("t", 't', Domain.ANY),
  /** The same place by an address of another state space. */
  ADDRESS("t", 't', Domain.NUMBERS),
  /** The same number in another type, without saturation. */
  CONVERT("t", 't', Domain.INTEGERS),
  /** The first operand if the predicate holds, otherwise the second. */
  SELECT("ttp", 't', Domain.ANY),
  ADD("tt", 't', Domain.NUMBERS),
  SUBTRACT("tt", 't', Domain.NUMBERS),
  /** The low half of a product, or the whole one if the result is twice as wide. */
  MULTIPLY("tt", 't', Domain.NUMBERS),
  MULTIPLY_HIGH("tt", 't', Domain.NUMBERS),
  /** The sum of such a product and the third operand. */
  MULTIPLY_ADD("ttr", 't', Domain.NUMBERS),
  MULTIPLY_HIGH_ADD("ttr", 't', Domain.NUMBERS),
  DIVIDE("tt", 't', Domain.NUMBERS),
  REMAINDER("tt", 't', Domain.NUMBERS),
  NEGATE("t", 't', Domain.NUMBERS),
  ABSOLUTE("t", 't', Domain.NUMBERS),
  MIN("tt", 't', Domain.NUMBERS),
  MAX("tt", 't', Domain.NUMBERS),
  /** The third operand and the difference of the others without its sign. */
  ADD_DIFFERENCE("ttt", 't', Domain.NUMBERS),
  AND("tt", 't', Domain.BITS),
  OR("tt", 't', Domain.BITS),
  XOR("tt", 't', Domain.BITS),
  NOT("t", 't', Domain.BITS),
  /** Whether no bit is set, as a number. */
  IS_ZERO("t", 't', Domain.HALVES),
  SHIFT_LEFT("td", 't', Domain.HALVES),
  SHIFT_RIGHT("td", 't', Domain.HALVES),
  /** Bits of the first operand from a place on, so many of them. */
  FIELD("tdd", 't', Domain.WORDS),
  REVERSE("t", 't', Domain.WORDS),
  COUNT_ONES("t", 'c', Domain.WORDS),
  COUNT_LEADING_ZEROS("t", 'c', Domain.WORDS),
  /** The place of the highest bit that differs from the sign. */
  FIND_HIGHEST("t", 'c', Domain.WORDS),
  EQUAL("tt", 'p', Domain.INTEGERS),
  NOT_EQUAL("tt", 'p', Domain.INTEGERS),
  LESS("tt", 'p', Domain.INTEGERS),
  LESS_OR_EQUAL("tt", 'p', Domain.INTEGERS),
  GREATER("tt", 'p', Domain.INTEGERS),
  GREATER_OR_EQUAL("tt", 'p', Domain.INTEGERS),
  /** Another comparison, such as one of floating-point numbers. */
  COMPARE("tt", 'p', Domain.ANY);

  private enum Domain {
    ANY,
    /** Integers that are numbers, of 16 bits or more. */
    NUMBERS,
    INTEGERS,
    /** Any bits, those of predicates too. */
    BITS,
    /** Bits of 16 or more. */
    HALVES,
    /** Bits of 32 or 64. */
    WORDS
  }

  private final String operands;
  private final char result;
  private final Domain domain;

  Operation(String operands, char result, Domain domain) {
    this.operands = operands;
    this.result = result;
    this.domain = domain;
  }

  /** Returns the comparison of integers by this relation; empty if integers have none. */
  public static Optional<Operation> comparison(String relation) {
    return switch (relation) {
      case "eq" -> Optional.of(EQUAL);
      case "ne" -> Optional.of(NOT_EQUAL);
      case "lt", "lo" -> Optional.of(LESS);
      case "le", "ls" -> Optional.of(LESS_OR_EQUAL);
      case "gt", "hi" -> Optional.of(GREATER);
      case "ge", "hs" -> Optional.of(GREATER_OR_EQUAL);
      default -> Optional.empty();
    };
  }

  /** Returns the type by which a relation compares numbers of this type. */
  public static ScalarType compared(String relation, ScalarType type) {
    return switch (relation) {
      case "lo", "ls", "hi", "hs" -> type.unsigned();
      default -> type;
    };
  }

  /** Returns how many operands it has. */
  public int arity() {
    return operands.length();
  }

  /** Returns whether it has operands of a type. */
  public boolean worksOn(ScalarType type) {
    boolean isBits = type.bits <= Long.SIZE && !type.isFloat() && type.kind != NumberKind.OPAQUE;
    return switch (domain) {
      case ANY -> type.bits <= Long.SIZE;
      case NUMBERS ->
          type.isInteger() && isBits && type.bits >= Short.SIZE && type.kind != NumberKind.BITS;
      case INTEGERS -> type.isInteger() && isBits;
      case BITS -> isBits;
      case HALVES -> isBits && type.bits >= Short.SIZE;
      case WORDS -> isBits && type.bits >= Integer.SIZE;
    };
  }

  /** Returns whether it multiplies: its instructions say which half of a product they take. */
  public boolean multiplies() {
    return switch (this) {
      case MULTIPLY, MULTIPLY_HIGH, MULTIPLY_ADD, MULTIPLY_HIGH_ADD -> true;
      default -> false;
    };
  }

  /** Returns the type of an operand of an instruction on this type, with this result. */
  ScalarType operand(int index, ScalarType type, ScalarType of) {
    char letter = operands.charAt(index);
    return letter == 'r' ? of : typed(letter, type);
  }

  /** Returns the type of the result of an instruction on this type. */
  ScalarType result(ScalarType type) {
    return typed(result, type);
  }

  private static ScalarType typed(char letter, ScalarType type) {
    return switch (letter) {
      case 'p' -> ScalarType.PRED;
      case 'd' -> ScalarType.B32;
      case 'c' -> ScalarType.U32;
      default -> type;
    };
  }
}

package dev.streamfence.examples.operators;

/** The operations of two operands, with the numbers that {@code expressions.cu} gives them. */
enum Operation {
  ADD(0),
  SUBTRACT(1),
  MULTIPLY(2),
  DIVIDE(3),
  LESS(4),
  AT_MOST(5),
  MORE(6),
  AT_LEAST(7),
  EQUAL(8),
  AND(9),
  OR(10);

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  /** The operation's number in {@code expressions.cu}. */
  int code() {
    return code;
  }

  /** Whether it compares two numbers. */
  boolean compares() {
    return this == LESS || this == AT_MOST || this == MORE || this == AT_LEAST || this == EQUAL;
  }

  /** Whether its operands are conditions. */
  boolean joinsConditions() {
    return this == AND || this == OR;
  }
}

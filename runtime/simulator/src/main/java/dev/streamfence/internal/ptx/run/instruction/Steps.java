package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.LongTernaryOperator;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** Makes steps that compute a register's value from other registers. */
final class Steps {
  private Steps() {}

  static Op unary(Translation t, ScalarType result, ScalarType a, LongUnaryOperator f) {
    t.expectOperands(2, 2);
    int d = t.destination(0, result);
    int x = t.source(1, a);
    return lane -> {
      long[] r = lane.registers;
      r[d] = f.applyAsLong(r[x]);
    };
  }

  static Op unary(Translation t, ScalarType type, LongUnaryOperator f) {
    return unary(t, type, type, f);
  }

  static Op binary(Translation t, ScalarType type, LongBinaryOperator f) {
    return binary(t, type, type, type, f);
  }

  static Op ternary(Translation t, ScalarType type, LongTernaryOperator f) {
    return ternary(t, type, type, type, type, f);
  }

  static Op binary(
      Translation t, ScalarType result, ScalarType a, ScalarType b, LongBinaryOperator f) {
    t.expectOperands(3, 3);
    int d = t.destination(0, result);
    int x = t.source(1, a);
    int y = t.source(2, b);
    return lane -> {
      long[] r = lane.registers;
      r[d] = f.applyAsLong(r[x], r[y]);
    };
  }

  static Op ternary(
      Translation t,
      ScalarType result,
      ScalarType a,
      ScalarType b,
      ScalarType c,
      LongTernaryOperator f) {
    t.expectOperands(4, 4);
    int d = t.destination(0, result);
    int x = t.source(1, a);
    int y = t.source(2, b);
    int z = t.source(3, c);
    return lane -> {
      long[] r = lane.registers;
      r[d] = f.applyAsLong(r[x], r[y], r[z]);
    };
  }
}

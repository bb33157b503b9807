package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.FloatFormat;
import dev.streamfence.internal.ptx.run.arithmetic.LongTernaryOperator;
import dev.streamfence.internal.ptx.run.arithmetic.Rounding;
import dev.streamfence.internal.ptx.run.arithmetic.SinglePrecision;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Floating-point arithmetic with IEEE results, of scalars and of packed pairs. Modifiers that
 * change inputs or results wrap the operation.
 */
final class FloatInstructions {
  private FloatInstructions() {}

  /** The effects of an instruction's modifiers on its inputs and its result. */
  record Form(ScalarType type, boolean flushes, boolean saturates, boolean rectifies) {
    static Form take(Translation t) {
      boolean flushes = t.has("ftz");
      boolean saturates = t.has("sat");
      boolean rectifies = t.has("relu");
      ScalarType type = t.type(each -> each.isFloat() && each != ScalarType.TF32);
      return new Form(type, flushes, saturates, rectifies);
    }

    FloatFormat format() {
      return FloatFormat.of(type);
    }

    boolean isPlain() {
      return !flushes && !saturates && !rectifies;
    }

    private boolean isPacked() {
      return type == ScalarType.F16X2 || type == ScalarType.BF16X2;
    }

    private long in(long bits) {
      return flushes ? format().flush(bits) : bits;
    }

    private long out(long bits) {
      FloatFormat format = format();
      long result = flushes ? format.flush(bits) : bits;
      result = saturates ? format.saturate(result) : result;
      return rectifies ? format.rectify(result) : result;
    }

    LongUnaryOperator wrap(LongUnaryOperator f) {
      LongUnaryOperator scalar = isPlain() ? f : a -> out(f.applyAsLong(in(a)));
      if (!isPacked()) {
        return scalar;
      }
      return a -> scalar.applyAsLong(a & 0xFFFF) | scalar.applyAsLong(a >>> 16 & 0xFFFF) << 16;
    }

    LongBinaryOperator wrap(LongBinaryOperator f) {
      LongBinaryOperator scalar = isPlain() ? f : (a, b) -> out(f.applyAsLong(in(a), in(b)));
      if (!isPacked()) {
        return scalar;
      }
      return (a, b) ->
          scalar.applyAsLong(a & 0xFFFF, b & 0xFFFF)
              | scalar.applyAsLong(a >>> 16 & 0xFFFF, b >>> 16 & 0xFFFF) << 16;
    }

    LongTernaryOperator wrap(LongTernaryOperator f) {
      LongTernaryOperator scalar =
          isPlain() ? f : (a, b, c) -> out(f.applyAsLong(in(a), in(b), in(c)));
      if (!isPacked()) {
        return scalar;
      }
      return (a, b, c) ->
          scalar.applyAsLong(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF)
              | scalar.applyAsLong(a >>> 16 & 0xFFFF, b >>> 16 & 0xFFFF, c >>> 16 & 0xFFFF) << 16;
    }
  }

  private static Op binary(Translation t, Form form, LongBinaryOperator f) {
    return Steps.binary(t, form.type, form.wrap(f));
  }

  private static Op unary(Translation t, Form form, LongUnaryOperator f) {
    return Steps.unary(t, form.type, form.wrap(f));
  }

  static Op add(Translation t) {
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    if (form.type == ScalarType.F32 && rounding == Rounding.NEAREST) {
      return binary(
          t,
          form,
          (a, b) -> SinglePrecision.bits(SinglePrecision.value(a) + SinglePrecision.value(b)));
    }
    return binary(t, form, (a, b) -> format.add(a, b, rounding));
  }

  static Op subtract(Translation t) {
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    long sign = format.signBit();
    return binary(t, form, (a, b) -> format.add(a, b ^ sign, rounding));
  }

  static Op multiply(Translation t) {
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    if (form.type == ScalarType.F32 && rounding == Rounding.NEAREST) {
      return binary(
          t,
          form,
          (a, b) -> SinglePrecision.bits(SinglePrecision.value(a) * SinglePrecision.value(b)));
    }
    return binary(t, form, (a, b) -> format.multiply(a, b, rounding));
  }

  static Op fma(Translation t) {
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    return Steps.ternary(
        t, form.type, form.wrap((LongTernaryOperator) (a, b, c) -> format.fma(a, b, c, rounding)));
  }

  static Op divide(Translation t) {
    // Devices are off by up to two units in the last place here; this result is correctly rounded.
    t.oneOf("approx", "full");
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    return binary(t, form, (a, b) -> format.divide(a, b, rounding));
  }

  static Op reciprocal(Translation t) {
    boolean approximate = t.has("approx");
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    long one = format.encode(1, Rounding.NEAREST);
    if (approximate && form.type == ScalarType.F64) {
      return unary(t, form, a -> upperHalf(format.divide(one, a, Rounding.NEAREST)));
    }
    return unary(t, form, a -> format.divide(one, a, rounding));
  }

  static Op squareRoot(Translation t) {
    t.has("approx");
    Rounding rounding = t.rounding().orElse(Rounding.NEAREST);
    Form form = Form.take(t);
    FloatFormat format = form.format();
    return unary(t, form, a -> format.squareRoot(a, rounding));
  }

  /** The approximations in double precision only give the upper 32 bits of a result. */
  static long upperHalf(long bits) {
    return bits & 0xFFFF_FFFF_0000_0000L;
  }

  static Op absolute(Translation t) {
    Form form = Form.take(t);
    long magnitude = ~form.format().signBit();
    return unary(t, form, a -> a & magnitude);
  }

  static Op negate(Translation t) {
    Form form = Form.take(t);
    long sign = form.format().signBit();
    return unary(t, form, a -> a ^ sign);
  }

  static Op extremum(Translation t, boolean smaller) {
    boolean propagates = t.has("NaN");
    boolean signed = t.has("xorsign");
    if (signed && !t.has("abs")) {
      throw t.unsupported(".xorsign needs .abs");
    }
    Form form = Form.take(t);
    FloatFormat format = form.format();
    if (!signed) {
      return t.operands() == 4
          ? threeWay(t, form, smaller, propagates)
          : binary(t, form, (a, b) -> format.extremum(a, b, smaller, propagates));
    }
    long sign = format.signBit();
    return binary(
        t,
        form,
        (a, b) -> {
          long chosen = format.extremum(a & ~sign, b & ~sign, smaller, propagates);
          return format.isNaN(chosen) ? chosen : chosen | ((a ^ b) & sign);
        });
  }

  private static Op threeWay(Translation t, Form form, boolean smaller, boolean propagates) {
    FloatFormat format = form.format();
    ScalarType type = form.type;
    LongTernaryOperator f =
        (a, b, c) ->
            format.extremum(format.extremum(a, b, smaller, propagates), c, smaller, propagates);
    return Steps.ternary(t, type, form.wrap(f));
  }
}

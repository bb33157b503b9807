package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.FloatFormat;
import dev.streamfence.internal.ptx.run.arithmetic.Rounding;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * Roots, reciprocals and transcendental functions. Where devices approximate, the simulation rounds
 * the result of double arithmetic. That is more accurate than any device, so a test that allows for
 * a device's error passes here, too.
 */
final class ApproximateInstructions {
  private static final double LN_2 = Math.log(2);

  private ApproximateInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("rcp", FloatInstructions::reciprocal);
    translators.put("sqrt", FloatInstructions::squareRoot);
    translators.put("rsqrt", t -> function(t, x -> 1 / Math.sqrt(x)));
    translators.put("sin", t -> function(t, Math::sin));
    translators.put("cos", t -> function(t, Math::cos));
    translators.put("lg2", t -> function(t, ApproximateInstructions::log2));
    translators.put("ex2", t -> function(t, ApproximateInstructions::exp2));
    translators.put("tanh", t -> function(t, Math::tanh));
  }

  private static double log2(double x) {
    int exponent = Math.getExponent(x);
    // The logarithms of powers of two must be integers.
    return x == Math.scalb(1.0, exponent) ? exponent : Math.log(x) / LN_2;
  }

  private static double exp2(double x) {
    return x == Math.rint(x) && Math.abs(x) < 2000 ? Math.scalb(1.0, (int) x) : Math.pow(2, x);
  }

  private static Op function(Translation t, DoubleUnaryOperator f) {
    if (!t.has("approx")) {
      throw t.unsupported("it needs .approx");
    }
    FloatInstructions.Form form = FloatInstructions.Form.take(t);
    FloatFormat format = form.format();
    ScalarType type = form.type();
    boolean upperHalf = type == ScalarType.F64;
    return Steps.unary(
        t,
        type,
        form.wrap(
            a -> {
              long bits = format.encode(f.applyAsDouble(format.decode(a)), Rounding.NEAREST);
              return upperHalf ? FloatInstructions.upperHalf(bits) : bits;
            }));
  }
}

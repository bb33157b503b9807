package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.FloatFormat;
import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.arithmetic.Rounding;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/** Instructions that convert between types. */
final class ConversionInstructions {
  private static final double TWO_TO_63 = 0x1p63;

  private ConversionInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("cvt", ConversionInstructions::convert);
  }

  private static Op convert(Translation t) {
    if (t.has("pack")) {
      return pack(t);
    }
    boolean flushes = t.has("ftz");
    boolean saturates = t.has("sat");
    boolean rectifies = t.has("relu");
    boolean finite = t.has("satfinite");
    Optional<Rounding> integral = t.integralRounding();
    Optional<Rounding> rounding = t.rounding();
    ScalarType to = t.type();
    ScalarType from = t.type();
    Options options =
        new Options(
            flushes, saturates, rectifies, finite, rounding.orElse(Rounding.NEAREST), integral);
    if (to == ScalarType.F16X2 || to == ScalarType.BF16X2) {
      return packFloats(t, to, from, options);
    }
    if (to.bits > 64 || from.bits > 64 || from.bits < 8 || from == ScalarType.F16X2) {
      throw t.unsupported("it does not convert " + from + " to " + to);
    }
    LongUnaryOperator f = between(t, to, from, options);
    t.expectOperands(2, 2);
    return Steps.unary(t, to, from, IntegerInstructions.filling(t, to, f));
  }

  /** The modifiers of a conversion. */
  private record Options(
      boolean flushes,
      boolean saturates,
      boolean rectifies,
      boolean finite,
      Rounding rounding,
      Optional<Rounding> integral) {}

  private static LongUnaryOperator between(
      Translation t, ScalarType to, ScalarType from, Options options) {
    if (from.isFloat()) {
      return to.isFloat() ? floatToFloat(to, from, options) : floatToInteger(to, from, options);
    }
    if (to.isFloat()) {
      return integerToFloat(t, to, from, options);
    }
    if (options.saturates) {
      return a -> clamp(IntegerArithmetic.extend(a, from), from, to) & to.mask();
    }
    long mask = to.mask();
    return a -> IntegerArithmetic.extend(a, from) & mask;
  }

  /** Clamps an integer to the range of a type. */
  private static long clamp(long value, ScalarType from, ScalarType to) {
    boolean huge = !from.isSigned() && value < 0;
    if (to.isSigned()) {
      long largest = to.mask() >>> 1;
      return huge ? largest : Math.max(-largest - 1, Math.min(largest, value));
    }
    if (from.isSigned() && value < 0) {
      return 0;
    }
    return Long.compareUnsigned(value, to.mask()) > 0 ? to.mask() : value;
  }

  private static LongUnaryOperator floatToFloat(ScalarType to, ScalarType from, Options options) {
    FloatFormat source = FloatFormat.of(from);
    FloatFormat target = FloatFormat.of(to);
    return a -> {
      double value = source.decode(options.flushes ? source.flush(a) : a);
      if (options.integral.isPresent()) {
        value = options.integral.get().toIntegral(value);
      }
      return finish(target, target.encode(value, options.rounding), options);
    };
  }

  private static long finish(FloatFormat target, long encoded, Options options) {
    long result = options.flushes ? target.flush(encoded) : encoded;
    if (options.finite && Double.isInfinite(target.decode(result))) {
      // One less than the encoding of infinity is the largest finite number.
      result = target.encode(target.decode(result) > 0 ? MAX : -MAX, Rounding.ZERO);
    }
    result = options.saturates ? target.saturate(result) : result;
    return options.rectifies ? target.rectify(result) : result;
  }

  private static final double MAX = Double.MAX_VALUE;

  private static LongUnaryOperator floatToInteger(ScalarType to, ScalarType from, Options options) {
    FloatFormat source = FloatFormat.of(from);
    Rounding rounding = options.integral.orElse(Rounding.ZERO);
    // The result for NaN depends on the types, as the language reference specifies.
    long nan = from == ScalarType.F64 || to.bits == 64 ? 1L << (to.bits - 1) : 0;
    return a -> {
      double value = source.decode(options.flushes ? source.flush(a) : a);
      if (Double.isNaN(value)) {
        return nan;
      }
      return toInteger(rounding.toIntegral(value), to) & to.mask();
    };
  }

  private static long toInteger(double value, ScalarType to) {
    if (to.isSigned()) {
      long largest = to.mask() >>> 1;
      return Math.max(-largest - 1, Math.min(largest, (long) value));
    }
    if (value <= 0) {
      return 0;
    }
    if (to.bits < 64) {
      return Math.min(to.mask(), (long) value);
    }
    if (value >= 2 * TWO_TO_63) {
      return -1L;
    }
    return value < TWO_TO_63 ? (long) value : (long) (value - TWO_TO_63) ^ Long.MIN_VALUE;
  }

  private static LongUnaryOperator integerToFloat(
      Translation t, ScalarType to, ScalarType from, Options options) {
    if (options.integral.isPresent()) {
      throw t.unsupported("an integer needs no rounding to an integer");
    }
    FloatFormat target = FloatFormat.of(to);
    boolean signed = from.isSigned();
    if (to == ScalarType.F64) {
      return a -> {
        long value = IntegerArithmetic.extend(a, from);
        double result = wide(value, signed, options.rounding);
        return finish(target, Double.doubleToRawLongBits(result), options);
      };
    }
    return a -> {
      long value = IntegerArithmetic.extend(a, from);
      return finish(target, target.encode(toOdd(value, signed), options.rounding), options);
    };
  }

  /** Converts to double; rounds inexact values to odd, so that they can be rounded again. */
  private static double toOdd(long value, boolean signed) {
    boolean negative = signed && value < 0;
    long magnitude = negative ? -value : value;
    int excess = Math.max(0, 64 - Long.numberOfLeadingZeros(magnitude) - 53);
    long kept = magnitude >>> excess;
    if (kept << excess != magnitude) {
      kept |= 1;
    }
    double result = Math.scalb((double) kept, excess);
    return negative ? -result : result;
  }

  private static double wide(long value, boolean signed, Rounding rounding) {
    boolean small = Math.abs(value) < 1L << 53;
    if (small && (signed || value >= 0)) {
      return value;
    }
    BigDecimal exact =
        new BigDecimal(
            signed ? BigInteger.valueOf(value) : new BigInteger(Long.toUnsignedString(value)));
    double nearest = exact.doubleValue();
    return rounding.adjust(nearest, exact.compareTo(new BigDecimal(nearest)));
  }

  private static Op packFloats(Translation t, ScalarType to, ScalarType from, Options options) {
    if (from != ScalarType.F32) {
      throw t.unsupported("it does not convert " + from + " to " + to);
    }
    LongUnaryOperator f = floatToFloat(to, from, options);
    return Steps.binary(t, to, from, from, (a, b) -> f.applyAsLong(a) << 16 | f.applyAsLong(b));
  }

  private static Op pack(Translation t) {
    t.has("sat");
    ScalarType to = t.type();
    ScalarType from = t.type();
    Optional<ScalarType> rest = t.optionalType();
    int width = to.bits;
    long mask = to.mask();
    if (from != ScalarType.S32 || width > 16) {
      throw t.unsupported("it does not pack " + from + " as " + to);
    }
    LongUnaryOperator narrow = a -> clamp(IntegerArithmetic.extend(a, from), from, to) & mask;
    if (rest.isEmpty()) {
      return Steps.binary(
          t,
          ScalarType.B32,
          from,
          from,
          (a, b) -> (narrow.applyAsLong(a) << width | narrow.applyAsLong(b)) & 0xFFFF_FFFFL);
    }
    return Steps.ternary(
        t,
        ScalarType.B32,
        from,
        from,
        ScalarType.B32,
        (a, b, c) ->
            ((c << (2 * width)) | narrow.applyAsLong(a) << width | narrow.applyAsLong(b))
                & 0xFFFF_FFFFL);
  }
}

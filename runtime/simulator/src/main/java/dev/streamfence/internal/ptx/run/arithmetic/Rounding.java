package dev.streamfence.internal.ptx.run.arithmetic;

/** A rounding mode for results that their format cannot hold. */
public enum Rounding {
  /** To the nearest, ties to even. */
  NEAREST,
  /** Towards zero. */
  ZERO,
  /** Towards negative infinity. */
  DOWN,
  /** Towards positive infinity. */
  UP,
  /** To the nearest, ties away from zero. */
  NEAREST_AWAY;

  /** Returns the rounding mode that a modifier names, such as {@code rz}. */
  public static Rounding named(String modifier) {
    return switch (modifier) {
      case "rz" -> ZERO;
      case "rm" -> DOWN;
      case "rp" -> UP;
      case "rna" -> NEAREST_AWAY;
      default -> NEAREST;
    };
  }

  /**
   * Rounds to single precision. The argument is the exact result, or the result rounded to odd: its
   * last bit is set if anything was lost. With 53 bits that is as good as the exact result.
   */
  float toFloat(double odd) {
    float nearest = (float) odd;
    if (this == NEAREST || nearest == odd || Double.isNaN(odd)) {
      return nearest;
    }
    return switch (this) {
      case ZERO ->
          Math.abs((double) nearest) > Math.abs(odd)
              ? Float.intBitsToFloat(Float.floatToRawIntBits(nearest) - 1)
              : nearest;
      case DOWN -> nearest > odd ? Math.nextDown(nearest) : nearest;
      case UP -> nearest < odd ? Math.nextUp(nearest) : nearest;
      case NEAREST, NEAREST_AWAY -> nearest;
    };
  }

  /** Rounds to an integral value; the sign of a zero is that of the argument. */
  public double toIntegral(double value) {
    return switch (this) {
      case NEAREST -> Math.rint(value);
      case ZERO -> value < 0 ? Math.ceil(value) : Math.floor(value);
      case DOWN -> Math.floor(value);
      case UP -> Math.ceil(value);
      case NEAREST_AWAY -> Math.copySign(Math.floor(Math.abs(value) + 0.5), value);
    };
  }

  /**
   * Adjusts a result that was rounded to nearest to this rounding mode.
   *
   * @param nearest the result, not NaN
   * @param error the sign of the exact result minus {@code nearest}
   */
  public double adjust(double nearest, int error) {
    if (error == 0) {
      return nearest;
    }
    return switch (this) {
      case UP -> error > 0 ? Math.nextUp(nearest) : nearest;
      case DOWN -> error < 0 ? Math.nextDown(nearest) : nearest;
      case ZERO -> {
        boolean negative = nearest < 0 || (nearest == 0 && 1 / nearest < 0);
        boolean tooLarge = negative ? error > 0 : error < 0;
        yield tooLarge ? Double.longBitsToDouble(Double.doubleToRawLongBits(nearest) - 1) : nearest;
      }
      case NEAREST, NEAREST_AWAY -> nearest;
    };
  }
}

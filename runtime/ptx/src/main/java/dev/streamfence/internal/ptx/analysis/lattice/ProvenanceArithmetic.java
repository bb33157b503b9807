package dev.streamfence.internal.ptx.analysis.lattice;

/** The transfer functions of sums, differences, products and shifts. Stateless. */
public final class ProvenanceArithmetic {
  /** Larger constants are not tracked, because narrower registers would truncate them. */
  private static final long MAX_CONSTANT = Integer.MAX_VALUE;

  private static final int WHOLE_BITS = 64;

  private ProvenanceArithmetic() {}

  public static Provenance add(Provenance a, Provenance b) {
    return a.combine(b, ProvenanceArithmetic::sum);
  }

  public static Provenance subtract(Provenance a, Provenance b) {
    return add(a, b.map(ProvenanceArithmetic::negated));
  }

  /**
   * Returns the provenance of a value in a register of this width, which may truncate constants.
   */
  public static Provenance held(Provenance a, int bits) {
    return a.hasSmallNumber() ? a.map(derivation -> heldNumber(derivation, bits)) : a;
  }

  private static Derivation heldNumber(Derivation a, int bits) {
    return !a.isSmallNumber() || isHeld(a, bits) ? a : a.unbounded();
  }

  /**
   * Returns whether a register of this width holds all values of a number, with or without sign.
   */
  static boolean isHeld(Derivation number, int bits) {
    long most = bits >= 32 ? MAX_CONSTANT : (1L << (bits - 1)) - 1;
    return number.offset() >= 0 && number.offset() <= most - number.span();
  }

  static Derivation sum(Derivation a, Derivation b) {
    int span = a.spanWith(b);
    if (span > 0 && a.hasObject() != b.hasObject()) {
      return element(a.hasObject() ? a : b, a.offset() + b.offset(), span);
    }
    return a.combine(
        b,
        (origin, x, y) -> x.plus(y),
        a.isForeign() || b.isForeign(),
        a.offset() + b.offset(),
        span);
  }

  /**
   * Returns the address of one of several elements of an object. Which one it is may depend on
   * parameters, but a number within narrow limits cannot be an address in their memory.
   */
  private static Derivation element(Derivation address, long offset, int span) {
    return address.combine(
        Derivation.ZERO,
        (origin, multiple, none) -> Origin.isObject(origin) ? multiple : Multiple.NONE,
        false,
        offset,
        span);
  }

  static Derivation negated(Derivation a) {
    return a.combine(
        Derivation.NUMBER,
        (origin, multiple, none) -> multiple.negated(),
        a.isForeign(),
        -a.offset() - Math.max(0, a.span()),
        a.span());
  }

  /** Returns the negation, or the complement, which differs from the negation by one. */
  public static Derivation opposite(Derivation a) {
    return negated(a).unbounded();
  }

  public static Provenance multiply(Provenance a, Provenance b) {
    return a.combine(b, ProvenanceArithmetic::product);
  }

  private static Derivation product(Derivation a, Derivation b) {
    if (a.isConstant()) {
      return scaled(b, a.offset());
    }
    if (b.isConstant()) {
      return scaled(a, b.offset());
    }
    if (a.size() == 0 || b.size() == 0) {
      Derivation number = a.size() == 0 ? a : b;
      Derivation other = a.size() == 0 ? b : a;
      Derivation factor =
          number.isForeign()
              ? other.withLoaded(true)
              : other.withLoadedBits(Math.max(other.loadedBits(), number.loadedBits()));
      // A pointer times an unknown number may be a choice between the pointer and null.
      return factor.size() == 1
              && !factor.mayBeDistance()
              && !factor.hasObject()
              && !Origin.is(factor.origin(0), ParameterRole.BUFFER)
          ? factor.map(Multiple::scaled).withForeign(false).unbounded()
          : BitArithmetic.unclear(factor.mayBeDistance() ? factor : factor.withForeign(false));
    }
    return BitArithmetic.mixture(a, b);
  }

  private static Derivation scaled(Derivation a, long factor) {
    if (factor == 0) {
      return Derivation.ZERO;
    }
    if (factor == 1) {
      return a;
    }
    if (factor == -1) {
      return negated(a);
    }
    if (a.isConstant()) {
      return constant(a.offset(), factor);
    }
    if (a.isForeign() && a.mayBeDistance()) {
      return BitArithmetic.unclear(a);
    }
    Derivation scaled =
        a.map(multiple -> multiple.times(factor))
            .withForeign(false)
            .withWiderNumbers(WHOLE_BITS - Long.numberOfLeadingZeros(Math.abs(factor) - 1));
    return a.isSmallNumber() && factor > 0 && factor <= MAX_CONSTANT
        ? scaled.within(a.offset() * factor, (a.offset() + a.span()) * factor)
        : scaled.unbounded();
  }

  private static Derivation constant(long a, long b) {
    boolean small = Math.abs(a) <= MAX_CONSTANT && Math.abs(b) <= MAX_CONSTANT;
    return small && Math.abs(a * b) <= MAX_CONSTANT
        ? Derivation.constant(a * b)
        : Derivation.NUMBER;
  }

  public static Provenance shiftLeft(Provenance a, Provenance b) {
    Long shift = b.constant();
    if (shift == null) {
      return BitArithmetic.part(a.combine(b, BitArithmetic::mixture));
    }
    if (shift < 0 || shift >= WHOLE_BITS - 1) {
      return BitArithmetic.part(a);
    }
    // A loaded number that moves up by half a word may become the upper half of an address.
    boolean half = shift >= WHOLE_BITS / 2 && shift % 8 == 0;
    return a.map(
        derivation ->
            half && derivation.size() == 0 && !derivation.isConstant()
                ? Derivation.FOREIGN
                : scaled(derivation, 1L << shift));
  }
}

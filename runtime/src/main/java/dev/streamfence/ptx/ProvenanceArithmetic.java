package dev.streamfence.ptx;

/** What operations make of where their operands come from. */
final class ProvenanceArithmetic {
  /** Constants beyond this are not followed: narrower registers would hold something else. */
  private static final long MAX_CONSTANT = Integer.MAX_VALUE;

  private static final int WHOLE_BITS = 64;

  private ProvenanceArithmetic() {}

  static Provenance add(Provenance a, Provenance b) {
    return a.combine(b, ProvenanceArithmetic::sum);
  }

  static Provenance subtract(Provenance a, Provenance b) {
    return add(a, b.map(ProvenanceArithmetic::negated));
  }

  /** Returns what a register of this width knows of a value: constants may have been cut off. */
  static Provenance held(Provenance a, int bits) {
    Long constant = a.constant();
    if (constant == null) {
      return a.hasConstant() ? a.map(derivation -> heldConstant(derivation, bits)) : a;
    }
    Derivation held = heldConstant(Derivation.constant(constant), bits);
    return held.isConstant() ? a : Provenance.NUMBER;
  }

  private static Derivation heldConstant(Derivation a, int bits) {
    boolean exact = bits >= 32 && a.offset() >= 0 && a.offset() <= MAX_CONSTANT;
    return !a.isConstant() || exact || a.isZero() ? a : Derivation.NUMBER;
  }

  private static Derivation sum(Derivation a, Derivation b) {
    return a.combine(
        b,
        (origin, x, y) -> x.plus(y),
        a.isForeign() || b.isForeign(),
        a.isFixed() && b.isFixed(),
        a.offset() + b.offset());
  }

  /** Returns the negative; what is foreign is not an address when it is taken off something. */
  static Derivation negated(Derivation a) {
    return a.combine(
        Derivation.NUMBER,
        (origin, multiple, none) -> multiple.negated(),
        false,
        a.isFixed(),
        -a.offset());
  }

  /** Returns the negative, or the complement, which differs from it by one. */
  static Derivation opposite(Derivation a) {
    return negated(a).unfixed();
  }

  static Provenance multiply(Provenance a, Provenance b) {
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
      Derivation factor = a.size() == 0 ? b : a;
      // A pointer times something unknown may be a choice between that pointer and nothing.
      return factor.size() == 1 && !Origin.is(factor.origin(0), ParameterRole.BUFFER)
          ? factor.map(true, multiple -> Multiple.SCALED).withForeign(false).unfixed()
          : unclear(factor.withForeign(false));
    }
    return unclear(mixture(a, b));
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
    return a.map(true, multiple -> multiple.times(factor)).withForeign(false).unfixed();
  }

  private static Derivation constant(long a, long b) {
    boolean small = Math.abs(a) <= MAX_CONSTANT && Math.abs(b) <= MAX_CONSTANT;
    return small && Math.abs(a * b) <= MAX_CONSTANT
        ? Derivation.constant(a * b)
        : Derivation.NUMBER;
  }

  static Provenance shiftLeft(Provenance a, Provenance b) {
    Long shift = b.constant();
    if (shift == null) {
      return part(a.combine(b, ProvenanceArithmetic::mixture));
    }
    if (shift < 0 || shift >= WHOLE_BITS - 1) {
      return part(a);
    }
    // Half of what was loaded may be on its way to become the upper half of an address.
    boolean half = shift >= WHOLE_BITS / 2 && shift % 8 == 0;
    return a.map(
        derivation ->
            half && derivation.size() == 0 && !derivation.isConstant()
                ? Derivation.FOREIGN
                : scaled(derivation, 1L << shift));
  }

  /** Returns what some bits of a value are, shifted to anywhere, or computed from it. */
  static Provenance part(Provenance a) {
    return a.map(ProvenanceArithmetic::partOf);
  }

  static Derivation partOf(Derivation a) {
    int strong = 0;
    for (int i = 0; i < a.size(); i++) {
      strong += Origin.is(a.origin(i), ParameterRole.NUMBER) ? 0 : 1;
    }
    // The difference of two pointers, divided, is an index that leads from one to the other.
    boolean difference = strong > 1 || (strong == 1 && a.isForeign());
    return difference
        ? unclear(a)
        : a.map(true, multiple -> Multiple.PART).withForeign(false).unfixed();
  }

  /** Returns a value that narrower registers hold; addresses of shared memory fit them. */
  static Provenance narrowed(Provenance a) {
    return a.map(
        derivation -> {
          if (derivation.hasObject() || derivation.isConstant()) {
            return derivation;
          }
          return partOf(derivation);
        });
  }

  static Provenance and(Provenance a, Provenance b) {
    return a.combine(
        b,
        (x, y) -> {
          if (x.isConstant() || y.isConstant()) {
            return x.isConstant() ? masked(y, x.offset()) : masked(x, y.offset());
          }
          return x.size() == 0 && y.size() == 0 ? Derivation.NUMBER : unclear(mixture(x, y));
        });
  }

  private static Derivation masked(Derivation a, long mask) {
    // A mask that leaves most bits aligns an address or takes a tag off it.
    return Long.bitCount(mask) >= 40 ? a.unfixed() : partOf(a);
  }

  /** Returns the disjunction: a sum without a carry. */
  static Provenance or(Provenance a, Provenance b) {
    return a.combine(
        b,
        (x, y) ->
            x.combine(
                y,
                (origin, m, n) -> m == n && m != Multiple.PART ? Multiple.ANY : m.plus(n),
                x.isForeign() || y.isForeign(),
                x.isConstant() && y.isConstant() && (x.offset() & y.offset()) == 0,
                x.offset() + y.offset()));
  }

  /** Returns a value that depends on both in a way that nobody follows. */
  static Provenance mix(Provenance a, Provenance b) {
    return a.combine(b, (x, y) -> unclear(mixture(x, y)));
  }

  private static Derivation mixture(Derivation a, Derivation b) {
    return a.combine(
        b, (origin, x, y) -> x.plus(y).or(Multiple.ANY), a.isForeign() || b.isForeign(), false, 0);
  }

  static Derivation unclear(Derivation a) {
    return a.map(true, multiple -> Multiple.ANY).unfixed();
  }

  /** Puts a value together from two that lie beside each other. */
  static Provenance assemble(Provenance low, Provenance high) {
    return low.combine(
        high,
        (x, y) -> {
          if (y.isZero()) {
            return x;
          }
          boolean numbers = x.size() == 0 && y.size() == 0;
          boolean constants = x.isConstant() && y.isConstant();
          Derivation both =
              x.combine(
                  y,
                  (origin, m, n) -> m == Multiple.NONE ? n : n == Multiple.NONE ? m : Multiple.ANY,
                  x.isForeign() || y.isForeign(),
                  false,
                  0);
          return numbers ? both.withForeign(!constants) : both;
        });
  }
}

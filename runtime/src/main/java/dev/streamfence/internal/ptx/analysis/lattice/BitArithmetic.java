package dev.streamfence.internal.ptx.analysis.lattice;

/** What operations on bits make of where their operands come from. */
public final class BitArithmetic {
  private BitArithmetic() {}

  /** Returns what some bits of a value are, shifted to anywhere, or computed from it. */
  public static Provenance part(Provenance a) {
    return a.map(BitArithmetic::partOf);
  }

  static Derivation partOf(Derivation a) {
    return a.mayBeDistance()
        ? unclear(a)
        : a.map(multiple -> Multiple.PART).withForeign(false).unfixed();
  }

  /** Returns a value that narrower registers hold; addresses of shared memory fit them. */
  public static Provenance narrowed(Provenance a) {
    return a.map(
        derivation -> {
          if (derivation.hasObject() || derivation.isConstant()) {
            return derivation;
          }
          return partOf(derivation);
        });
  }

  public static Provenance and(Provenance a, Provenance b) {
    return a.combine(
        b,
        (x, y) -> {
          if (x.isConstant() || y.isConstant()) {
            return x.isConstant() ? masked(y, x.offset()) : masked(x, y.offset());
          }
          return mixture(x, y);
        });
  }

  private static Derivation masked(Derivation a, long mask) {
    // A mask that leaves most bits aligns an address or takes a tag off it.
    return Long.bitCount(mask) >= 40 ? a.map(Multiple::aligned).unfixed() : partOf(a);
  }

  /** Returns the disjunction: a sum without a carry. */
  public static Provenance or(Provenance a, Provenance b) {
    return a.combine(
        b,
        (x, y) -> {
          Derivation both =
              x.combine(
                  y,
                  (origin, m, n) -> m == n ? Multiple.TOP : m.plus(n),
                  x.isForeign() || y.isForeign(),
                  x.isConstant() && y.isConstant() && (x.offset() & y.offset()) == 0,
                  x.offset() + y.offset());
          return isSplice(x, y) || isSplice(y, x) ? unclear(both) : both;
        });
  }

  /** Returns whether bits of one address may take the place of another's. */
  private static boolean isSplice(Derivation address, Derivation bits) {
    for (int i = 0; i < bits.size(); i++) {
      int origin = bits.origin(i);
      if (bits.multiple(i) == Multiple.PART
          && !Origin.is(origin, ParameterRole.NUMBER)
          && address.multipleOf(origin) == Multiple.NONE) {
        return !address.isOffset();
      }
    }
    return false;
  }

  /** Returns a value that depends on both in an unknown way. */
  public static Provenance mix(Provenance a, Provenance b) {
    return a.combine(b, BitArithmetic::mixture);
  }

  static Derivation mixture(Derivation a, Derivation b) {
    return a.combine(b, (origin, x, y) -> Multiple.TOP, a.isForeign() || b.isForeign(), false, 0);
  }

  public static Derivation unclear(Derivation a) {
    return a.map(multiple -> Multiple.TOP).unfixed();
  }

  /** Puts a value together from two that lie beside each other. */
  public static Provenance assemble(Provenance low, Provenance high) {
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
                  (origin, m, n) -> m == Multiple.NONE ? n : n == Multiple.NONE ? m : Multiple.TOP,
                  x.isForeign() || y.isForeign(),
                  false,
                  0);
          return numbers ? both.withForeign(!constants) : both;
        });
  }
}

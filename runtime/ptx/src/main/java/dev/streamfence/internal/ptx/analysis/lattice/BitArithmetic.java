package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.function.IntUnaryOperator;

/** The transfer functions of operations on bits. Stateless. */
public final class BitArithmetic {
  private BitArithmetic() {}

  /**
   * Returns the provenance of some bits of a value, at any position, or of a number computed from
   * them.
   */
  public static Provenance part(Provenance a) {
    return a.map(BitArithmetic::partOf);
  }

  static Derivation partOf(Derivation a) {
    return a.mayBeDistance()
        ? unclear(a)
        : a.map(multiple -> Multiple.PART).withForeign(false).unbounded();
  }

  /** Returns the provenance of a value after its bits moved up within 64 bits. */
  public static Provenance raised(Provenance a) {
    return a.map(derivation -> derivation.withWiderNumbers(Integer.SIZE));
  }

  /** Returns the provenance of a small number that is counted from the bits of a value. */
  public static Provenance count(Provenance a) {
    return a.map(
        derivation ->
            derivation.mayBeDistance()
                ? unclear(derivation)
                : derivation.map(multiple -> Multiple.COUNT).withForeign(false).unbounded());
  }

  /**
   * Returns the provenance of a value in a narrower register, which can hold addresses of shared
   * memory.
   */
  public static Provenance narrowed(Provenance a, int bits) {
    return a.map(
        derivation -> {
          if (derivation.hasObject()) {
            return derivation;
          }
          Derivation part =
              (isCount(derivation) ? derivation : partOf(derivation)).withNarrowNumbers(bits);
          return derivation.isBounded() && ProvenanceArithmetic.isHeld(derivation, bits)
              ? part.within(derivation.offset(), derivation.offset() + derivation.span())
              : part.unbounded();
        });
  }

  private static boolean isCount(Derivation a) {
    for (int i = 0; i < a.size(); i++) {
      if (a.multiple(i) != Multiple.COUNT) {
        return false;
      }
    }
    return a.size() > 0 && !a.isForeign();
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
    // A mask that keeps most bits aligns an address or removes a tag from it.
    return Long.bitCount(mask) >= 40 ? a.map(Multiple::aligned).unbounded() : partOf(a);
  }

  /**
   * Returns the provenance of a bitwise or, which is a sum without carries.
   *
   * @param alignments the power of two of which the address of an object is a multiple
   */
  public static Provenance or(Provenance a, Provenance b, IntUnaryOperator alignments) {
    return a.combine(
        b,
        (x, y) -> {
          if (isWithin(x, y, alignments) || isWithin(y, x, alignments)) {
            return ProvenanceArithmetic.sum(x, y);
          }
          if (isRange(x) && y.isPlace()) {
            return ProvenanceArithmetic.sum(y, upTo(x));
          }
          if (isRange(y) && x.isPlace()) {
            return ProvenanceArithmetic.sum(x, upTo(y));
          }
          Derivation both =
              x.combine(
                  y,
                  (origin, m, n) -> m == n ? Multiple.TOP : m.plus(n),
                  x.isForeign() || y.isForeign(),
                  x.offset() + y.offset(),
                  x.isConstant() && y.isConstant() && (x.offset() & y.offset()) == 0
                      ? 0
                      : Derivation.UNBOUNDED);
          return isSplice(x, y) || isSplice(y, x) ? unclear(both) : both;
        });
  }

  /** Returns whether a number has only bits that an address does not, since it is aligned. */
  private static boolean isWithin(Derivation number, Derivation at, IntUnaryOperator alignments) {
    return number.isConstant()
        && at.isFixed()
        && at.isPlace()
        && number.offset() >= 0
        && number.offset() < alignments.applyAsInt(at.origin(0))
        && (number.offset() & at.offset()) == 0;
  }

  private static boolean isRange(Derivation number) {
    return number.isSmallNumber() && !number.isConstant() && number.offset() >= 0;
  }

  /** Returns what a bitwise or with this number adds: any part of it. */
  private static Derivation upTo(Derivation number) {
    return number.within(0, number.offset() + number.span());
  }

  /** Returns whether bits of one address may replace bits of another. */
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

  /** Returns the provenance of a value that depends on both in an unknown way. */
  public static Provenance mix(Provenance a, Provenance b) {
    return a.combine(b, BitArithmetic::mixture);
  }

  static Derivation mixture(Derivation a, Derivation b) {
    return a.combine(b, (origin, x, y) -> Multiple.TOP, a.isForeign() || b.isForeign());
  }

  public static Derivation unclear(Derivation a) {
    return a.map(multiple -> Multiple.TOP).unbounded();
  }

  /** Returns the provenance of a value that consists of two adjacent ones. */
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
                  y.withWiderNumbers(Integer.SIZE),
                  (origin, m, n) -> m == Multiple.NONE ? n : n == Multiple.NONE ? m : Multiple.TOP,
                  x.isForeign() || y.isForeign());
          return numbers ? both.withForeign(!constants) : both;
        });
  }
}

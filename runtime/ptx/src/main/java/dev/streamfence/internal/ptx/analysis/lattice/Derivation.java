// Long because one value has all its operations beside its fields.
package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One alternative of a provenance: a sum of origins with their multiples, of a constant where it is
 * known, and of numbers that do not matter. Immutable.
 */
public final class Derivation {
  /** Stands for the sources of values from several parameters. */
  static final int SEVERAL = -1;

  /** The width of a value that may be anything. */
  private static final int WHOLE_BITS = 64;

  /** Stands for a value of which no limits are known. */
  static final int UNBOUNDED = -1;

  /** The widest range that is tracked, in bytes: arrays of pointers have few elements. */
  private static final int MAX_SPAN = 512;

  /** A loaded number that is narrower than this counts as an index, not as an address. */
  private static final int ADDRESS_BITS = 48;

  static final Derivation ZERO = constant(0);

  /** A number that derives from no address. */
  static final Derivation NUMBER = new Derivation(Terms.NONE, false, 0, 0, UNBOUNDED, 0);

  /** A value that was loaded from memory or returned by unknown code, and may be any pointer. */
  static final Derivation FOREIGN = new Derivation(Terms.NONE, true, 0, 0, UNBOUNDED, 0);

  /** A number that may be part of such a pointer. */
  static final Derivation LOADED = FOREIGN.withForeign(false);

  private final Terms terms;
  private final boolean foreign;

  /** How wide the loaded numbers in the sum may be; 0 if there are none. */
  private final int loadedBits;

  /** The least value of the sum without its objects; 0 if that is unknown. */
  private final long offset;

  /** How much larger that value may be; {@link #UNBOUNDED} if that is unknown. */
  private final int span;

  /**
   * From where its loaded part comes: 0 if that is unknown, {@link #SEVERAL}, or one more than the
   * index of the parameter in whose memory it was.
   */
  private final int source;

  private Derivation(
      Terms terms, boolean foreign, int loadedBits, long offset, int span, int source) {
    this.terms = terms;
    this.foreign = foreign;
    this.loadedBits = loadedBits;
    this.offset = span == UNBOUNDED ? 0 : offset;
    this.span = span;
    this.source = source;
  }

  public static Derivation constant(long value) {
    return new Derivation(Terms.NONE, false, 0, value, 0, 0);
  }

  public static Derivation of(int origin) {
    return of(origin, 0);
  }

  public static Derivation of(int origin, long offset) {
    return new Derivation(
        Terms.of(origin, Multiple.ONE),
        false,
        0,
        // Offsets into a parameter's memory are not needed, and differ in each iteration of a loop.
        offset,
        Origin.isObject(origin) ? 0 : UNBOUNDED,
        0);
  }

  public int size() {
    return terms.size();
  }

  public int origin(int index) {
    return terms.origin(index);
  }

  public Multiple multiple(int index) {
    return terms.multiple(index);
  }

  public Multiple multipleOf(int origin) {
    return terms.multipleOf(origin);
  }

  /** Returns whether the sum contains a value of unknown provenance. */
  public boolean isForeign() {
    return foreign;
  }

  /**
   * Returns whether the sum contains a number that was once a value of unknown provenance, and is
   * wide enough for an address: probably an index, but not certainly.
   */
  public boolean isLoaded() {
    return loadedBits >= ADDRESS_BITS;
  }

  /** Returns the sum as it is in memory that a parameter with this index leads to. */
  public Derivation withSource(int parameter) {
    return new Derivation(terms, foreign, loadedBits, offset, span, parameter + 1);
  }

  /** Returns the index of the parameter in whose memory it was, if there is only one. */
  public OptionalInt source() {
    return source > 0 ? OptionalInt.of(source - 1) : OptionalInt.empty();
  }

  /** Returns whether it was in the memory behind several parameters. */
  public boolean hasSeveralSources() {
    return source == SEVERAL;
  }

  /** Returns whether its source is the other's or more. */
  boolean coversSource(Derivation other) {
    return other.source == 0 || source == other.source || source == SEVERAL;
  }

  private int sourceWith(Derivation other) {
    if (foreign != other.foreign) {
      return foreign ? source : other.source;
    }
    if (source == 0 || other.source == 0 || source == other.source) {
      return source == 0 ? other.source : source;
    }
    return SEVERAL;
  }

  int loadedBits() {
    return loadedBits;
  }

  /** Returns a number of this width that was loaded from memory. */
  static Derivation loaded(int bits) {
    return new Derivation(Terms.NONE, false, bits, 0, UNBOUNDED, 0);
  }

  /** Returns whether the sum consists only of objects and a known constant. */
  public boolean isFixed() {
    return span == 0;
  }

  /**
   * Returns whether the sum consists only of objects and a number within known limits. Its other
   * origins are parts of that number.
   */
  public boolean isBounded() {
    return span != UNBOUNDED;
  }

  /** Returns the least value of the sum without its objects, if it is bounded. */
  public long offset() {
    return offset;
  }

  /** Returns how much larger that value may be; negative if it is not bounded. */
  public int span() {
    return span;
  }

  /** Returns whether each value of another sum without its objects is one of this one's. */
  boolean spans(Derivation other) {
    return span == UNBOUNDED
        || (offset == other.offset && span == other.span)
        // Not within any range: a sum that grows in a loop would widen it step by step.
        || (other.span == 0 && other.offset >= offset && other.offset - offset <= span);
  }

  boolean isConstant() {
    return isFixed() && size() == 0;
  }

  /** Returns whether the sum is an address of one object at an offset within known limits. */
  public boolean isPlace() {
    return isBounded() && size() == 1 && hasObject() && multiple(0) == Multiple.ONE;
  }

  /** Returns whether the sum is a number within known limits. */
  boolean isSmallNumber() {
    return isBounded() && !hasObject();
  }

  /** Returns a value without objects with limits; unbounded if these are too far apart. */
  public Derivation within(long least, long greatest) {
    if (least == greatest) {
      return constant(least);
    }
    int wide = span(least, greatest);
    if (wide == UNBOUNDED) {
      return unbounded();
    }
    // A number within narrow limits is no address.
    int bits = foreign ? WHOLE_BITS : loadedBits;
    return new Derivation(terms, false, bits, least, wide, source);
  }

  private static int span(long least, long greatest) {
    long wide = greatest - least;
    return wide >= 0 && wide <= MAX_SPAN ? (int) wide : UNBOUNDED;
  }

  /** Returns the span of a sum of this and another. */
  int spanWith(Derivation other) {
    return isBounded() && other.isBounded() ? span(0, (long) span + other.span) : UNBOUNDED;
  }

  public boolean isZero() {
    return isConstant() && offset == 0;
  }

  boolean isNumber() {
    return size() == 0 && !foreign;
  }

  /** Returns whether the sum contains no address, provided that the declared roles are true. */
  boolean isOffset() {
    return !foreign && !hasObject() && addresses() == 0;
  }

  /** Returns how many origins in the sum may be addresses. */
  private int addresses() {
    int count = 0;
    for (int i = 0; i < size(); i++) {
      count += Origin.is(origin(i), ParameterRole.NUMBER) ? 0 : 1;
    }
    return count;
  }

  /**
   * Returns whether the sum may be the distance between two addresses, one of which may have been
   * loaded from memory. A distance that is scaled down and up again still leads to the other
   * address.
   */
  boolean mayBeDistance() {
    int addresses = addresses();
    return addresses > 1 || (addresses == 1 && foreign);
  }

  public boolean hasObject() {
    // Objects sort behind all parameters.
    return size() > 0 && Origin.isObject(origin(size() - 1));
  }

  /** Returns the sum with a loaded number added, if wanted. */
  Derivation withLoaded(boolean wanted) {
    return wanted ? withLoadedBits(WHOLE_BITS) : this;
  }

  /**
   * Returns the sum with loaded numbers of this width instead of its own. A constant has none, so
   * with one it is no constant; limits are those of the whole number, wherever it is from.
   */
  Derivation withLoadedBits(int bits) {
    return bits == loadedBits
        ? this
        : new Derivation(
            terms, foreign, bits, offset, isFixed() && bits > 0 ? UNBOUNDED : span, source);
  }

  /** Returns the sum after a multiplication of its loaded numbers by 2 to this power. */
  Derivation withWiderNumbers(int power) {
    return loadedBits == 0 ? this : withLoadedBits(Math.min(WHOLE_BITS, loadedBits + power));
  }

  /** Returns the sum after all but this many bits of it were cut off. */
  Derivation withNarrowNumbers(int bits) {
    return loadedBits <= bits ? this : withLoadedBits(bits);
  }

  public Derivation unbounded() {
    return isBounded() ? new Derivation(terms, foreign, loadedBits, 0, UNBOUNDED, source) : this;
  }

  public Derivation withForeign(boolean wanted) {
    return foreign == wanted
        ? this
        : new Derivation(
            terms,
            wanted,
            foreign ? WHOLE_BITS : loadedBits,
            offset,
            wanted ? UNBOUNDED : span,
            source);
  }

  /** Returns an unbounded sum of the origins of both whose combined multiple is not none. */
  Derivation combine(Derivation other, Terms.Combination combination, boolean nowForeign) {
    return combine(other, combination, nowForeign, 0, UNBOUNDED);
  }

  /** Returns a sum of the origins of both whose combined multiple is not none, with limits. */
  Derivation combine(
      Derivation other,
      Terms.Combination combination,
      boolean nowForeign,
      long least,
      int nowSpan) {
    return new Derivation(
        terms.combine(other.terms, combination),
        nowForeign,
        !nowForeign && (foreign || other.foreign)
            ? WHOLE_BITS
            : Math.max(loadedBits, other.loadedBits),
        least,
        nowSpan,
        sourceWith(other));
  }

  /** Returns the sum with another role of the origin that it contains once. */
  Derivation withRole(int origin, ParameterRole role) {
    Terms changed = Terms.of(Origin.parameter(Origin.index(origin), role), multipleOf(origin));
    Derivation other = new Derivation(changed, false, 0, 0, UNBOUNDED, 0);
    return combine(
            NUMBER, (each, multiple, none) -> each == origin ? Multiple.NONE : multiple, foreign)
        .combine(other, (each, a, b) -> a.plus(b), foreign);
  }

  /** Replaces all multiples. */
  Derivation map(UnaryOperator<Multiple> change) {
    if (size() == 0) {
      return this;
    }
    return combine(
        NUMBER, (origin, multiple, none) -> change.apply(multiple), foreign, offset, span);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Derivation derivation
        && foreign == derivation.foreign
        && loadedBits == derivation.loadedBits
        && span == derivation.span
        && offset == derivation.offset
        && source == derivation.source
        && terms.equals(derivation.terms);
  }

  @Override
  public int hashCode() {
    return 31 * terms.hashCode() + Long.hashCode(offset);
  }
}

// Long because one value has all its operations beside its fields.
package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.Arrays;
import java.util.Objects;
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

  private static final int[] NO_ORIGINS = {};
  private static final Multiple[] NO_MULTIPLES = {};

  static final Derivation ZERO = constant(0);

  /** A number that derives from no address. */
  static final Derivation NUMBER =
      new Derivation(NO_ORIGINS, NO_MULTIPLES, false, 0, 0, UNBOUNDED, 0);

  /** A value that was loaded from memory or returned by unknown code, and may be any pointer. */
  static final Derivation FOREIGN =
      new Derivation(NO_ORIGINS, NO_MULTIPLES, true, 0, 0, UNBOUNDED, 0);

  /** A number that may be part of such a pointer. */
  static final Derivation LOADED = FOREIGN.withForeign(false);

  /** Sorted and distinct. */
  private final int[] origins;

  private final Multiple[] multiples;
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
      int[] origins,
      Multiple[] multiples,
      boolean foreign,
      int loadedBits,
      long offset,
      int span,
      int source) {
    this.origins = origins;
    this.multiples = multiples;
    this.foreign = foreign;
    this.loadedBits = loadedBits;
    this.offset = span == UNBOUNDED ? 0 : offset;
    this.span = span;
    this.source = source;
  }

  public static Derivation constant(long value) {
    return new Derivation(NO_ORIGINS, NO_MULTIPLES, false, 0, value, 0, 0);
  }

  public static Derivation of(int origin) {
    return of(origin, 0);
  }

  public static Derivation of(int origin, long offset) {
    return new Derivation(
        new int[] {origin},
        new Multiple[] {Multiple.ONE},
        false,
        0,
        // Offsets into a parameter's memory are not needed, and differ in each iteration of a loop.
        offset,
        Origin.isObject(origin) ? 0 : UNBOUNDED,
        0);
  }

  public int size() {
    return origins.length;
  }

  public int origin(int index) {
    return origins[index];
  }

  public Multiple multiple(int index) {
    return multiples[index];
  }

  public Multiple multipleOf(int origin) {
    int at = Arrays.binarySearch(origins, origin);
    return at < 0 ? Multiple.NONE : multiples[at];
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
    return new Derivation(origins, multiples, foreign, loadedBits, offset, span, parameter + 1);
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
    return new Derivation(NO_ORIGINS, NO_MULTIPLES, false, bits, 0, UNBOUNDED, 0);
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
    return isFixed() && origins.length == 0;
  }

  /** Returns whether the sum is an address of one object at an offset within known limits. */
  public boolean isPlace() {
    return isBounded() && origins.length == 1 && hasObject() && multiples[0] == Multiple.ONE;
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
    return new Derivation(origins, multiples, false, bits, least, wide, source);
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
    return origins.length == 0 && !foreign;
  }

  /** Returns whether the sum contains no address, provided that the declared roles are true. */
  boolean isOffset() {
    return !foreign && !hasObject() && addresses() == 0;
  }

  /** Returns how many origins in the sum may be addresses. */
  private int addresses() {
    int count = 0;
    for (int origin : origins) {
      count += Origin.is(origin, ParameterRole.NUMBER) ? 0 : 1;
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
    return origins.length > 0 && Origin.isObject(origins[origins.length - 1]);
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
            origins,
            multiples,
            foreign,
            bits,
            offset,
            isFixed() && bits > 0 ? UNBOUNDED : span,
            source);
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
    return isBounded()
        ? new Derivation(origins, multiples, foreign, loadedBits, 0, UNBOUNDED, source)
        : this;
  }

  public Derivation withForeign(boolean wanted) {
    return foreign == wanted
        ? this
        : new Derivation(
            origins,
            multiples,
            wanted,
            foreign ? WHOLE_BITS : loadedBits,
            offset,
            wanted ? UNBOUNDED : span,
            source);
  }

  /** Combines the multiples of one origin in two sums. */
  @FunctionalInterface
  interface Combination {
    Multiple of(int origin, Multiple a, Multiple b);
  }

  /** Returns an unbounded sum of the origins of both whose combined multiple is not none. */
  Derivation combine(Derivation other, Combination combination, boolean nowForeign) {
    return combine(other, combination, nowForeign, 0, UNBOUNDED);
  }

  /** Returns a sum of the origins of both whose combined multiple is not none, with limits. */
  Derivation combine(
      Derivation other, Combination combination, boolean nowForeign, long least, int nowSpan) {
    int most = origins.length + other.origins.length;
    int[] merged = most == 0 ? NO_ORIGINS : new int[most];
    Multiple[] found = most == 0 ? NO_MULTIPLES : new Multiple[most];
    int size = 0;
    int i = 0;
    int j = 0;
    while (i < origins.length || j < other.origins.length) {
      int left = i < origins.length ? origins[i] : Integer.MAX_VALUE;
      int right = j < other.origins.length ? other.origins[j] : Integer.MAX_VALUE;
      int origin = Math.min(left, right);
      Multiple multiple =
          combination.of(
              origin,
              left == origin ? multiples[i++] : Multiple.NONE,
              right == origin ? other.multiples[j++] : Multiple.NONE);
      if (multiple != Multiple.NONE) {
        merged[size] = origin;
        found[size++] = multiple;
      }
    }
    return new Derivation(
        size == most ? merged : Arrays.copyOf(merged, size),
        size == most ? found : Arrays.copyOf(found, size),
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
    int[] changed = {Origin.parameter(Origin.index(origin), role)};
    Derivation other =
        new Derivation(changed, new Multiple[] {multipleOf(origin)}, false, 0, 0, UNBOUNDED, 0);
    return combine(
            NUMBER, (each, multiple, none) -> each == origin ? Multiple.NONE : multiple, foreign)
        .combine(other, (each, a, b) -> a.plus(b), foreign);
  }

  /** Replaces all multiples. */
  Derivation map(UnaryOperator<Multiple> change) {
    if (origins.length == 0) {
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
        && Arrays.equals(origins, derivation.origins)
        && Arrays.equals(multiples, derivation.multiples);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(origins), Arrays.hashCode(multiples), offset);
  }
}

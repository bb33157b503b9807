package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One alternative of a provenance: a sum of origins with their multiples, of a constant where it is
 * known, and of numbers that do not matter. Immutable.
 */
public final class Derivation {
  private static final int[] NO_ORIGINS = {};
  private static final Multiple[] NO_MULTIPLES = {};

  static final Derivation ZERO = constant(0);

  /** A number that derives from no address. */
  static final Derivation NUMBER = new Derivation(NO_ORIGINS, NO_MULTIPLES, false, false, false, 0);

  /** A value that was loaded from memory or returned by unknown code, and may be any pointer. */
  static final Derivation FOREIGN = new Derivation(NO_ORIGINS, NO_MULTIPLES, true, false, false, 0);

  /** A number that may be part of such a pointer. */
  static final Derivation LOADED = FOREIGN.withForeign(false);

  /** Sorted and distinct. */
  private final int[] origins;

  private final Multiple[] multiples;
  private final boolean foreign;
  private final boolean loaded;
  private final boolean fixed;
  private final long offset;

  private Derivation(
      int[] origins,
      Multiple[] multiples,
      boolean foreign,
      boolean loaded,
      boolean fixed,
      long offset) {
    this.origins = origins;
    this.multiples = multiples;
    this.foreign = foreign;
    this.loaded = loaded;
    this.fixed = fixed;
    this.offset = fixed ? offset : 0;
  }

  public static Derivation constant(long value) {
    return new Derivation(NO_ORIGINS, NO_MULTIPLES, false, false, true, value);
  }

  public static Derivation of(int origin) {
    return of(origin, 0);
  }

  public static Derivation of(int origin, long offset) {
    return new Derivation(
        new int[] {origin},
        new Multiple[] {Multiple.ONE},
        false,
        false,
        // Offsets into a parameter's memory are not needed, and differ in each iteration of a loop.
        Origin.isObject(origin),
        offset);
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
   * Returns whether the sum contains a number that was once a value of unknown provenance: probably
   * an index, but not certainly.
   */
  public boolean isLoaded() {
    return loaded;
  }

  /** Returns whether the sum consists only of the origins and a known constant. */
  public boolean isFixed() {
    return fixed;
  }

  public long offset() {
    return offset;
  }

  boolean isConstant() {
    return fixed && origins.length == 0;
  }

  public boolean isZero() {
    return isConstant() && offset == 0;
  }

  boolean isNumber() {
    return origins.length == 0 && !foreign;
  }

  /** Returns whether the sum contains no address, provided that the declared roles are true. */
  boolean isOffset() {
    return addresses() == 0 && !foreign;
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
    return !wanted || loaded ? this : new Derivation(origins, multiples, foreign, true, false, 0);
  }

  public Derivation unfixed() {
    return fixed ? new Derivation(origins, multiples, foreign, loaded, false, 0) : this;
  }

  public Derivation withForeign(boolean wanted) {
    return foreign == wanted
        ? this
        : new Derivation(origins, multiples, wanted, loaded || foreign, fixed && !wanted, offset);
  }

  /** Combines the multiples of one origin in two sums. */
  @FunctionalInterface
  interface Combination {
    Multiple of(int origin, Multiple a, Multiple b);
  }

  /** Returns a sum of the origins of both whose combined multiple is not none. */
  Derivation combine(
      Derivation other, Combination combination, boolean nowForeign, boolean nowFixed, long sum) {
    int[] merged = new int[origins.length + other.origins.length];
    Multiple[] found = new Multiple[merged.length];
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
        Arrays.copyOf(merged, size),
        Arrays.copyOf(found, size),
        nowForeign,
        loaded || other.loaded || (!nowForeign && (foreign || other.foreign)),
        nowFixed,
        sum);
  }

  /** Replaces all multiples. */
  Derivation map(UnaryOperator<Multiple> change) {
    return combine(
        NUMBER, (origin, multiple, none) -> change.apply(multiple), foreign, fixed, offset);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Derivation derivation
        && foreign == derivation.foreign
        && loaded == derivation.loaded
        && fixed == derivation.fixed
        && offset == derivation.offset
        && Arrays.equals(origins, derivation.origins)
        && Arrays.equals(multiples, derivation.multiples);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(origins), Arrays.hashCode(multiples), offset);
  }
}

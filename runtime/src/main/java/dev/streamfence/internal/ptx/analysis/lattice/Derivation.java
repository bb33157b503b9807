package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One way in which a value may come about: a sum of origins, of a constant where it is known, and
 * of numbers that do not matter. Immutable.
 */
public final class Derivation {
  private static final int[] NO_ORIGINS = {};
  private static final Multiple[] NO_MULTIPLES = {};

  static final Derivation ZERO = constant(0);

  /** A number that has nothing to do with any address. */
  static final Derivation NUMBER = new Derivation(NO_ORIGINS, NO_MULTIPLES, false, false, false, 0);

  /** What was loaded from memory, or came back from elsewhere, and may be any pointer. */
  static final Derivation FOREIGN = new Derivation(NO_ORIGINS, NO_MULTIPLES, true, false, false, 0);

  /** A number that may be a part of such a pointer. */
  static final Derivation LOADED = FOREIGN.withForeign(false);

  /** Sorted, without a repetition. */
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
        // Offsets into a parameter's memory tell nothing, and differ in every round of a loop.
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

  /** Returns whether a value of unknown provenance is part of the sum. */
  public boolean isForeign() {
    return foreign;
  }

  /**
   * Returns whether a number in the sum was once a value of unknown provenance: an index most
   * likely, but not for certain.
   */
  public boolean isLoaded() {
    return loaded;
  }

  /** Returns whether the constant in the sum is all of it but the origins. */
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

  /** Returns whether nothing in the sum could be an address, if what is declared is true. */
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
   * Returns whether the sum may be the way from one address to another, where the other may be one
   * that came from memory. Scaled down and up again, it still leads there.
   */
  boolean mayBeDistance() {
    int addresses = addresses();
    return addresses > 1 || (addresses == 1 && foreign);
  }

  public boolean hasObject() {
    // They sort behind all parameters.
    return origins.length > 0 && Origin.isObject(origins[origins.length - 1]);
  }

  /** Returns the same with a number in it that may be a part of any pointer, if so wanted. */
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

  /** How the multiples of an origin in two sums become one. */
  @FunctionalInterface
  interface Combination {
    Multiple of(int origin, Multiple a, Multiple b);
  }

  /** Returns a sum of the origins of both, of those multiples that are not none. */
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

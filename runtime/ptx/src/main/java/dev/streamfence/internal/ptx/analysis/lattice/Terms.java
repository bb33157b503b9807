package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The origins of a sum with their multiples, none of which is {@link Multiple#NONE}. Immutable. */
final class Terms {
  static final Terms NONE = new Terms(new int[0], new Multiple[0]);

  /** Sorted and distinct. Shared between sums where possible. */
  private final int[] origins;

  private final Multiple[] multiples;

  private Terms(int[] origins, Multiple[] multiples) {
    this.origins = origins;
    this.multiples = multiples;
  }

  static Terms of(int origin, Multiple multiple) {
    return new Terms(new int[] {origin}, new Multiple[] {multiple});
  }

  int size() {
    return origins.length;
  }

  int origin(int index) {
    return origins[index];
  }

  Multiple multiple(int index) {
    return multiples[index];
  }

  Multiple multipleOf(int origin) {
    int at = Arrays.binarySearch(origins, origin);
    return at < 0 ? Multiple.NONE : multiples[at];
  }

  /** Combines the multiples of one origin in two sums. */
  @FunctionalInterface
  interface Combination {
    Multiple of(int origin, Multiple a, Multiple b);
  }

  /** The origins of both whose combined multiple is not none. */
  Terms combine(Terms other, Combination combination) {
    if (origins == other.origins || other.size() == 0) {
      return combineAlike(other, combination);
    }
    int most = origins.length + other.origins.length;
    int[] merged = new int[most];
    Multiple[] found = new Multiple[most];
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
    return trimmed(size, merged, found, other.origins);
  }

  /**
   * Combines terms with the same origins, or with none: values of a kernel that takes a large
   * structure have hundreds of origins each, mostly the same.
   */
  private Terms combineAlike(Terms other, Combination combination) {
    Multiple[] found = multiples;
    int size = 0;
    for (int i = 0; i < origins.length; i++) {
      Multiple second = other.size() == 0 ? Multiple.NONE : other.multiples[i];
      Multiple both = combination.of(origins[i], multiples[i], second);
      if (both != multiples[i] && found == multiples) {
        found = multiples.clone();
      }
      if (found != multiples) {
        found[i] = both;
      }
      size += both == Multiple.NONE ? 0 : 1;
    }
    if (size == origins.length) {
      return found == multiples ? this : new Terms(origins, found);
    }
    int[] kept = new int[size];
    int next = 0;
    for (int i = 0; i < origins.length; i++) {
      if (found[i] != Multiple.NONE) {
        kept[next] = origins[i];
        found[next++] = found[i];
      }
    }
    return trimmed(size, kept, found, other.origins);
  }

  /** Cuts the arrays to size, and shares the origins of an operand if they are equal. */
  private Terms trimmed(int size, int[] merged, Multiple[] found, int[] others) {
    if (size == 0) {
      return NONE;
    }
    int[] shared = merged;
    if (Arrays.equals(merged, 0, size, origins, 0, origins.length)) {
      shared = origins;
    } else if (Arrays.equals(merged, 0, size, others, 0, others.length)) {
      shared = others;
    } else if (size < merged.length) {
      shared = Arrays.copyOf(merged, size);
    }
    return new Terms(shared, size == found.length ? found : Arrays.copyOf(found, size));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Terms terms
            && Arrays.equals(origins, terms.origins)
            && Arrays.equals(multiples, terms.multiples));
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(origins) + Arrays.hashCode(multiples);
  }
}

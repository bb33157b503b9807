package dev.streamfence.examples.operators;

/**
 * A column that rows are sorted by. Text is sorted by its bytes in UTF-8, which is the order of its
 * characters; of floating-point numbers, NaN comes after all others, and -0 before 0. Immutable.
 *
 * @param column its name
 * @param isDescending whether the largest value comes first
 * @param areNullsFirst whether nulls come before all values, in both directions
 */
public record SortKey(String column, boolean isDescending, boolean areNullsFirst) {
  /** From the least value to the largest, then nulls. */
  public static SortKey ascending(String column) {
    return new SortKey(column, false, false);
  }

  /** From the largest value to the least, then nulls. */
  public static SortKey descending(String column) {
    return new SortKey(column, true, false);
  }

  /** The same with nulls first. */
  public SortKey nullsFirst() {
    return new SortKey(column, isDescending, true);
  }
}

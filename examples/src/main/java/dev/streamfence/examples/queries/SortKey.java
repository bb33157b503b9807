package dev.streamfence.examples.queries;

/**
 * A column that an answer is sorted by; nulls come last. Immutable.
 *
 * @param column its name
 * @param isDescending whether the largest value comes first
 */
public record SortKey(String column, boolean isDescending) {

  /** The smallest value comes first. */
  static SortKey ascending(String column) {
    return new SortKey(column, false);
  }

  /** The largest value comes first. */
  static SortKey descending(String column) {
    return new SortKey(column, true);
  }
}

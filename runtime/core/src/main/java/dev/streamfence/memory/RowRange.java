package dev.streamfence.memory;

import java.util.List;

/**
 * Consecutive rows, which can be divided down to a single one. Immutable.
 *
 * @param from the first row, at least 0
 * @param count how many rows, at least 0
 */
public record RowRange(long from, long count) implements Splittable<RowRange> {
  /** Checks the range. */
  public RowRange {
    if (from < 0 || count < 0 || from + count < 0) {
      throw new IllegalArgumentException(
          count + " rows from row " + from + "; both are at least 0, and so is their sum");
    }
  }

  /** Two halves, the first of which has the odd row; only itself if it has fewer than two rows. */
  @Override
  public List<RowRange> split() {
    if (count < 2) {
      return List.of(this);
    }
    long half = count - count / 2;
    return List.of(new RowRange(from, half), new RowRange(from + half, count - half));
  }
}

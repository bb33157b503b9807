package dev.streamfence.examples.queries;

import org.jspecify.annotations.Nullable;

/** A sum as in SQL: it skips nulls, and without any number it is null. Confined to one thread. */
final class Sum {
  private long sum;
  private long count;

  /** Adds a number. */
  void add(long number) {
    sum = Math.addExact(sum, number);
    count++;
  }

  /** Adds the number of a row if it has one. */
  void addOf(Numbers column, int row) {
    if (column.has(row)) {
      add(column.at(row));
    }
  }

  /** The sum, or null without numbers. */
  @Nullable Long sum() {
    return count == 0 ? null : sum;
  }

  /** The average of decimals with two places, or null without numbers. */
  @Nullable Double averageOfHundredths() {
    return count == 0 ? null : sum / 100.0 / count;
  }
}

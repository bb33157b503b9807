package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import java.nio.file.Path;
import org.apache.arrow.vector.DateDayVector;

/** Dates, as days since 1970-01-01. */
final class ArrowDates extends ArrowColumn {
  private final DateDayVector vector;

  ArrowDates(Path file, ColumnField field, DateDayVector vector) {
    super(file, field, vector);
    this.vector = vector;
  }

  @Override
  int[] valuesWithoutNulls(long firstRow) {
    int[] days = new int[vector.getValueCount()];
    for (int row = 0; row < days.length; row++) {
      days[row] = vector.get(row);
    }
    return days;
  }
}

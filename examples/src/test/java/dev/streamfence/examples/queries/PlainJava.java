package dev.streamfence.examples.queries;

import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the seven queries, computed in plain Java over the rows on the host. A comparison
 * with null is false, and rows whose group is null are one group.
 */
final class PlainJava {
  private PlainJava() {}

  /** The answer of a query. */
  static QueryAnswer answerOf(Query query, HostTables tables) {
    List<List<@Nullable Object>> rows =
        switch (query.name()) {
          case "Q1" -> PricingSummaryInJava.rows(tables);
          case "Q3" -> ShippingPriorityInJava.rows(tables);
          case "Q5" -> LocalSupplierVolumeInJava.rows(tables);
          case "Q6" -> RevenueForecastInJava.rows(tables);
          case "Q9" -> ProductTypeProfitInJava.rows(tables);
          case "Q12" -> ShippingModesInJava.rows(tables);
          case "Q18" -> LargeVolumeCustomersInJava.rows(tables);
          default -> throw new IllegalArgumentException("no answer in Java of " + query.name());
        };
    return QueryAnswer.sorted(query.shape(), rows);
  }

  /** A day as a column has it. */
  static long day(int year, int month, int dayOfMonth) {
    return LocalDate.of(year, month, dayOfMonth).toEpochDay();
  }

  /** The day of a row, or null. */
  static @Nullable LocalDate dateAt(Numbers days, int row) {
    return days.has(row) ? LocalDate.ofEpochDay(days.at(row)) : null;
  }

  /** The number of a row, or null. */
  static @Nullable Long numberAt(Numbers numbers, int row) {
    return numbers.has(row) ? Long.valueOf(numbers.at(row)) : null;
  }

  /** Price × (1 − discount), with four decimal places. */
  static long discounted(long price, long discount) {
    return Math.multiplyExact(price, 100 - discount);
  }
}

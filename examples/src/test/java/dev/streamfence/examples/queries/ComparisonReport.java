package dev.streamfence.examples.queries;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a comparison found. Immutable.
 *
 * @param title the rows, the device and DuckDB
 * @param uploadNanos how long the upload of all tables took
 * @param uploadedBytes how large they are on the device
 * @param queries their times and differences
 */
record ComparisonReport(
    String title, long uploadNanos, long uploadedBytes, List<QueryTimes> queries) {

  /** Copies the list. */
  ComparisonReport {
    queries = List.copyOf(queries);
  }

  /** Whether all answers agree. */
  boolean agrees() {
    return queries.stream().allMatch(query -> query.difference().isEmpty());
  }

  /** The report for the console. */
  String text() {
    return Stream.of(title, table(), upload(), differences())
        .filter(section -> !section.isEmpty())
        .collect(Collectors.joining(System.lineSeparator()));
  }

  private String table() {
    Object[][] rows = queries.stream().map(ComparisonReport::row).toArray(Object[][]::new);
    return AsciiTable.getTable(
        AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS,
        new Column[] {
          new Column().header("query").dataAlign(HorizontalAlign.LEFT),
          new Column().header("rows"),
          new Column().header("device ms"),
          new Column().header("kernels ms"),
          new Column().header("DuckDB ms"),
          new Column().header("DuckDB / device"),
          new Column().header("agree").dataAlign(HorizontalAlign.LEFT)
        },
        rows);
  }

  private static Object[] row(QueryTimes times) {
    return new Object[] {
      times.query(),
      times.rows(),
      millis(times.deviceNanos()),
      millis(times.kernelNanos()),
      millis(times.duckDbNanos()),
      number(1, (double) times.duckDbNanos() / times.deviceNanos()),
      times.difference().isEmpty() ? "yes" : "no"
    };
  }

  private String upload() {
    return "Upload of all tables: "
        + number(1, uploadedBytes / 1e6)
        + " MB in "
        + millis(uploadNanos)
        + " ms, "
        + number(1, (double) uploadedBytes / uploadNanos)
        + " GB/s.";
  }

  private String differences() {
    return queries.stream()
        .filter(query -> !query.difference().isEmpty())
        .map(query -> query.query() + ": " + query.difference())
        .collect(Collectors.joining(System.lineSeparator()));
  }

  private static String millis(long nanos) {
    return number(3, nanos / 1e6);
  }

  private static String number(int places, double value) {
    return String.format(Locale.ROOT, "%,." + places + "f", value);
  }
}

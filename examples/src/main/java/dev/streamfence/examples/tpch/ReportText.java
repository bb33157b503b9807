package dev.streamfence.examples.tpch;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/** A {@link JobReport} as text for the console. */
final class ReportText {
  private ReportText() {}

  /** The whole report, in three small tables. */
  static String of(JobReport report) {
    return String.join(
        System.lineSeparator(),
        "TPC-H " + report.origin() + " on " + report.device(),
        "",
        answers(report),
        "",
        counters(report),
        "",
        phases(report),
        "",
        verdict(report));
  }

  private static String answers(JobReport report) {
    Object[][] rows =
        Stream.of(
                answer(report, "Q6", "revenue", answers -> answers.q6().revenue()),
                answer(report, "Q12", "MAIL, high priority", answers -> answers.q12().mailHigh()),
                answer(report, "Q12", "MAIL, lower priority", answers -> answers.q12().mailLow()),
                answer(report, "Q12", "SHIP, high priority", answers -> answers.q12().shipHigh()),
                answer(report, "Q12", "SHIP, lower priority", answers -> answers.q12().shipLow()))
            .toArray(Object[][]::new);
    return table(rows, left("query"), left("answer"), right("device"), right("plain Java"));
  }

  private static Object[] answer(
      JobReport report, String query, String what, Function<Answers, Object> value) {
    return new Object[] {
      query, what, value.apply(report.onDevice()), value.apply(report.expected())
    };
  }

  private static String counters(JobReport report) {
    Object[][] row = {
      {
        grouped(report.orders()),
        grouped(report.lineItems()),
        grouped(report.statistics().launches()),
        grouped(report.statistics().driverCalls()),
        grouped(report.statistics().waits()),
        grouped(report.statistics().eventRecords())
      }
    };
    return table(
        row,
        right("orders"),
        right("line items"),
        right("launches"),
        right("driver calls"),
        right("waits"),
        right("events"));
  }

  private static String phases(JobReport report) {
    long total = report.phases().stream().mapToLong(JobReport.Phase::nanos).sum();
    Object[][] rows =
        Stream.concat(report.phases().stream(), Stream.of(new JobReport.Phase("total", total)))
            .map(phase -> new Object[] {phase.name(), millis(phase.nanos())})
            .toArray(Object[][]::new);
    return table(rows, left("phase"), right("ms"));
  }

  private static String verdict(JobReport report) {
    if (report.agrees()) {
      return "Both queries agree with plain Java over the same rows.";
    }
    Answers onDevice = report.onDevice();
    Answers expected = report.expected();
    List<String> wrong =
        Stream.of(
                difference("Q6", onDevice.q6(), expected.q6()),
                difference("Q12", onDevice.q12(), expected.q12()))
            .filter(text -> !text.isEmpty())
            .toList();
    return String.join(System.lineSeparator(), wrong);
  }

  private static String difference(String query, Object onDevice, Object expected) {
    return Objects.equals(onDevice, expected)
        ? ""
        : "MISMATCH in " + query + ": the device says " + onDevice + ", plain Java " + expected;
  }

  private static String table(Object[][] rows, Column... columns) {
    return AsciiTable.builder()
        .border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS)
        .lineSeparator(System.lineSeparator())
        .data(columns, rows)
        .asString();
  }

  private static Column left(String header) {
    return new Column().header(header).dataAlign(HorizontalAlign.LEFT);
  }

  private static Column right(String header) {
    return new Column().header(header).dataAlign(HorizontalAlign.RIGHT);
  }

  private static String grouped(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%,.1f", nanos / 1e6);
  }
}

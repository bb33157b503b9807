package dev.streamfence.examples.tpch;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A {@link JobReport} as text for the console. */
final class ReportText {
  private ReportText() {}

  /** The whole report, in small tables. */
  static String of(JobReport report) {
    return Stream.of(
            "TPC-H " + report.origin() + " on " + report.device(),
            answers(report),
            counters(report),
            phases(report),
            repeats(report.repeats()),
            graphs(report.graphs(), report.repeats().isSimulated()),
            verdict(report))
        .filter(section -> !section.isEmpty())
        .collect(Collectors.joining(System.lineSeparator().repeat(2)));
  }

  private static String answers(JobReport report) {
    Object[][] rows =
        Stream.of(
                answer(report, "Q6", "revenue", answers -> answers.q6().revenue()),
                answer(report, "Q12", "MAIL, high priority", answers -> answers.q12().firstHigh()),
                answer(report, "Q12", "MAIL, lower priority", answers -> answers.q12().firstLow()),
                answer(report, "Q12", "SHIP, high priority", answers -> answers.q12().secondHigh()),
                answer(report, "Q12", "SHIP, lower priority", answers -> answers.q12().secondLow()))
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

  private static String repeats(JobReport.Repeats repeats) {
    if (repeats.count() == 0) {
      return repeats.isSimulated()
          ? "The queries were not repeated: times on the simulated device predict nothing."
          : "The queries were not repeated.";
    }
    MemoryPeak peak = repeats.peak();
    Object[][] rows =
        repeats.times().stream()
            .map(
                times ->
                    new Object[] {
                      times.query(),
                      millis3(times.hostNanos()),
                      millis3(times.kernelNanos()),
                      perSecond(times.rowsPerSecond(), 1e6),
                      perSecond(times.bytesPerSecond(), 1e9),
                      peak.isKnown() ? percent(times.bytesPerSecond() / peak.bytesPerSecond()) : "-"
                    })
            .toArray(Object[][]::new);
    return String.join(
        System.lineSeparator(),
        table(
            rows,
            left("query"),
            right("host ms"),
            right("kernels ms"),
            right("M rows/s"),
            right("GB/s"),
            right("of peak")),
        "Medians of " + runs(repeats.count()) + " of each query after a warm one:",
        "  host     from the call to the answer",
        "  kernels  from the start of the first to the end of the last, as the device measures it",
        "  rows     line items for Q6, orders and line items for Q12, per second of the kernels",
        "  bytes    of the columns that a query reads whole, per second of the kernels: for Q6",
        "           l_shipdate, l_discount, l_quantity and l_extendedprice; for Q12 o_orderkey,",
        "           o_orderpriority, l_shipmode, l_shipdate, l_commitdate and l_receiptdate, but not",
        "           its hash table",
        "  peak     " + peak(repeats.isSimulated(), peak));
  }

  private static String graphs(List<GraphTimes> graphs, boolean isSimulated) {
    if (graphs.isEmpty()) {
      return "";
    }
    Object[][] rows =
        graphs.stream()
            .map(
                times ->
                    new Object[] {
                      times.query(),
                      perQuery(times.direct()),
                      perQuery(times.single()),
                      perQuery(times.queued()),
                      grouped(times.graph().nodes()),
                      grouped(times.graph().edges()),
                      grouped(times.graph().impliedEdges())
                    })
            .toArray(Object[][]::new);
    return String.join(
        System.lineSeparator(),
        table(
            rows,
            left("query"),
            right("direct ms"),
            right("graph ms"),
            right("queued ms"),
            right("nodes"),
            right("edges"),
            right("implied")),
        "Medians per query, from passes over "
            + Constants.SETS.size()
            + " sets of constants after a warm one"
            + (isSimulated ? ", which predict nothing on this device:" : ":"),
        "  direct   from the call to the answer, launch by launch",
        "  graph    from the call to the answer, by one launch of a graph with changed constants",
        "  queued   the same, when the graph is launched with all sets before the first answer",
        "  implied  edges that were left out, because others imply them");
  }

  private static String perQuery(QueryRepeats.Result passes) {
    return millis3(passes.medianNanos() / Constants.SETS.size());
  }

  private static String runs(int count) {
    return count == 1 ? "1 run" : grouped(count) + " runs";
  }

  private static String peak(boolean isSimulated, MemoryPeak peak) {
    if (isSimulated) {
      return "none: the kernels' times are those of a model, which predicts nothing";
    }
    if (!peak.isKnown()) {
      return "not known: the driver does not report the clock of the memory and the width of its bus";
    }
    return "of the memory, "
        + perSecond(peak.bytesPerSecond(), 1e9)
        + " GB/s: "
        + grouped(peak.clockKilohertz() / 1000)
        + " MHz, "
        + grouped(peak.busWidthBits())
        + " bits, two transfers per clock";
  }

  private static String verdict(JobReport report) {
    if (report.agrees()) {
      return "Both queries agree with plain Java over the same rows.";
    }
    Answers onDevice = report.onDevice();
    Answers expected = report.expected();
    Stream<String> first =
        Stream.of(
            difference("Q6", onDevice.q6(), expected.q6()),
            difference("Q12", onDevice.q12(), expected.q12()));
    Stream<String> later =
        report.repeats().times().stream()
            .map(times -> times.wrong() == 0 ? "" : changed(times.query(), times.wrong()));
    Stream<String> graphs =
        report.graphs().stream()
            .map(times -> times.wrong() == 0 ? "" : wrongPasses(times.query(), times.wrong()));
    return Stream.of(first, later, graphs)
        .flatMap(texts -> texts)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(System.lineSeparator()));
  }

  private static String changed(String query, int wrong) {
    return "MISMATCH in "
        + query
        + ": repeats whose answer is not that of the first run: "
        + grouped(wrong);
  }

  private static String wrongPasses(String query, int wrong) {
    return "MISMATCH in "
        + query
        + ": passes whose answers are not those of plain Java: "
        + grouped(wrong);
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

  /** To the microsecond, since a kernel may take only a few. */
  private static String millis3(long nanos) {
    return String.format(Locale.ROOT, "%,.3f", nanos / 1e6);
  }

  private static String perSecond(double amount, double unit) {
    return Double.isFinite(amount) ? String.format(Locale.ROOT, "%,.1f", amount / unit) : "-";
  }

  private static String percent(double share) {
    return Double.isFinite(share) ? String.format(Locale.ROOT, "%.1f %%", 100 * share) : "-";
  }
}

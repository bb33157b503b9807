package dev.streamfence.examples.queries;

import dev.streamfence.DeviceException;
import dev.streamfence.examples.tpch.DeviceChoice;
import dev.streamfence.examples.tpch.OptionValues;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the comparison with DuckDB. */
@Command(
    name = "queries",
    sortOptions = false,
    description =
        "Runs queries of TPC-H on the device and in DuckDB on the processor, over the same rows;"
            + " compares the answers and prints the times.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all answers agree",
      "1:an answer differs, or something failed",
      "2:an option is wrong"
    })
public final class QueryComparison implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Spec private CommandSpec spec;

  @Option(
      names = "--scale",
      converter = OptionValues.Scale.class,
      description =
          "How much data, from 0.001 to 100; 1 is 6 million line items. Default: ${DEFAULT-VALUE}.")
  private double scale = 0.01;

  @Option(
      names = "--queries",
      split = ",",
      description = "Which queries, such as Q1,Q18. Default: all seven.")
  private List<String> names = List.of();

  @Option(
      names = "--device",
      converter = OptionValues.Device.class,
      paramLabel = "auto|gpu|simulated",
      description = "Where the queries run; auto takes a GPU where there is one. Default: auto.")
  private DeviceChoice device = DeviceChoice.AUTO;

  @Option(
      names = "--repeat",
      converter = OptionValues.Count.class,
      description = "How often each query is timed, from 1 to 64. Default: ${DEFAULT-VALUE}.")
  private int repeats = 5;

  @Option(
      names = "--threads",
      converter = OptionValues.Count.class,
      description =
          "How many threads DuckDB has, from 1 to 64. Default: one for each core, but at most 64.")
  private int threads = Math.min(64, Runtime.getRuntime().availableProcessors());

  @Option(
      names = "--nulls",
      description = "The share of nulls in each column that can have them. Default: none.")
  private double nulls;

  @Option(names = "--skew", description = "The share of rows that refer to one key. Default: none.")
  private double skew;

  @Option(names = "--help", usageHelp = true, description = "Prints this.")
  private boolean help;

  private QueryComparison(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Runs the comparison and ends the JVM with its exit status. */
  public static void main(String[] arguments) {
    System.exit(run(System.out, System.err, arguments));
  }

  /** Runs the comparison and returns its exit status. */
  static int run(PrintStream out, PrintStream err, String... arguments) {
    return new CommandLine(new QueryComparison(out, err))
        .setOut(new PrintWriter(out, true, Charset.defaultCharset()))
        .setErr(new PrintWriter(err, true, Charset.defaultCharset()))
        .setExecutionExceptionHandler((failure, given, parsed) -> fail(err, failure))
        .execute(arguments);
  }

  private static int fail(PrintStream err, Exception failure) throws Exception {
    if (failure instanceof DeviceException || failure instanceof UnsupportedOperationException) {
      err.println("queries: " + failure.getMessage());
      return ExitCode.SOFTWARE;
    }
    throw failure;
  }

  @Override
  public Integer call() {
    ComparisonJob job =
        new ComparisonJob(selected(), repeats, threads, phase -> err.println(phase + " ..."));
    ComparisonReport report = job.run(device, options());
    out.println(report.text());
    return report.agrees() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private List<Query> selected() {
    List<Query> selected = new ArrayList<>();
    for (String name : names) {
      selected.add(
          Queries.ALL.stream()
              .filter(query -> query.name().equalsIgnoreCase(name))
              .findFirst()
              .orElseThrow(() -> mistake("'" + name + "' is not one of " + allNames())));
    }
    return names.isEmpty() ? Queries.ALL : selected;
  }

  private static String allNames() {
    return String.join(", ", Queries.ALL.stream().map(Query::name).toList());
  }

  private DataOptions options() {
    try {
      return DataOptions.atScale(scale).withNulls(nulls).withSkew(skew);
    } catch (IllegalArgumentException e) {
      throw mistake("--nulls or --skew: " + e.getMessage());
    }
  }

  private ParameterException mistake(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

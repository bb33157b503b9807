package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** The command line of the job. */
@Command(
    name = "tpch",
    sortOptions = false,
    description = {
      "Runs two queries of TPC-H on the GPU, or on the simulated device, and compares their answers"
          + " with plain Java over the same rows.",
      "Q6 filters and sums over several streams. Q12 joins: one thread builds the hash table on one"
          + " stream, another probes it on another stream."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:both queries agree with plain Java",
      "1:an answer is wrong, the device failed, or a file cannot be read or written",
      "2:an option is wrong"
    },
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExample:%n",
    footer = "  tpch --scale 0.02 --device simulated --streams 8")
public final class TpchCommand implements Callable<Integer> {
  private static final int CONSOLE_WIDTH = 79;

  /** Enough for a median that does not depend on a single run. */
  private static final int REPEATS_ON_A_GPU = 20;

  private final PrintStream out;
  private final PrintStream err;
  private final Oracle oracle;

  @Option(
      names = "--scale",
      paramLabel = "<factor>",
      converter = OptionValues.Scale.class,
      description =
          "How much data, from 0.001 to 100; 1 is 6 million line items. Default: 1 on a GPU, 0.01"
              + " on the simulated device.")
  private @Nullable Double scale;

  @Option(
      names = "--data",
      paramLabel = "<folder>",
      description =
          "Reads the rows from orders.arrow and lineitem.arrow in the folder, files of Arrow IPC"
              + " with the columns of TPC-H, instead of generating them.")
  private @Nullable Path data;

  @Option(
      names = "--write-data",
      paramLabel = "<folder>",
      description =
          "Writes the generated rows to such files before the queries run. Replaces no file.")
  private @Nullable Path writeData;

  @Option(
      names = "--device",
      paramLabel = "auto|gpu|simulated",
      converter = OptionValues.Device.class,
      defaultValue = "auto",
      description =
          "Where the queries run; auto takes a GPU where there is one. Default: ${DEFAULT-VALUE}.")
  private DeviceChoice device = DeviceChoice.AUTO;

  @Option(
      names = "--streams",
      paramLabel = "<count>",
      converter = OptionValues.Count.class,
      defaultValue = "4",
      description =
          "How many streams share the rows of Q6, from 1 to 64; Q12 always has two. Default:"
              + " ${DEFAULT-VALUE}.")
  private int streams;

  @Option(
      names = "--threads",
      paramLabel = "<count>",
      converter = OptionValues.Count.class,
      defaultValue = "4",
      description =
          "How many host threads generate rows and launch Q6, from 1 to 64; Q12 always has two."
              + " Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--repeat",
      paramLabel = "<count>",
      converter = OptionValues.Repeats.class,
      description =
          "How often each query is repeated and timed after its first run, from 0 to 10000."
              + " Default: 20 on a GPU, 0 on the simulated device, whose times predict nothing.")
  private @Nullable Integer repeat;

  @Option(
      names = "--graphs",
      description =
          "Also records each query as a graph, runs it with other constants, and times it beside"
              + " the same queries launch by launch, as often as --repeat says, but at least once.")
  private boolean graphs;

  @Option(
      names = "--trace",
      paramLabel = "<file>",
      description =
          "Writes a page of HTML that shows the work on each stream over time, and what it waited"
              + " for, without the repeats. Replaces the file.")
  private @Nullable Path trace;

  @SuppressWarnings("UnusedVariable") // picocli reads the option; nothing reads the field.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this text.")
  private boolean help;

  private TpchCommand(PrintStream out, PrintStream err, Oracle oracle) {
    this.out = out;
    this.err = err;
    this.oracle = oracle;
  }

  /** Runs the job and ends the JVM with its exit status. */
  public static void main(String[] arguments) {
    System.exit(run(System.out, System.err, new JavaOracle(), arguments));
  }

  /** Runs the job and returns its exit status. */
  static int run(PrintStream out, PrintStream err, Oracle oracle, String... arguments) {
    return new CommandLine(new TpchCommand(out, err, oracle))
        .setOut(new PrintWriter(out, true, Charset.defaultCharset()))
        .setErr(new PrintWriter(err, true, Charset.defaultCharset()))
        .setParameterExceptionHandler((failure, given) -> refuse(err, oneLine(failure)))
        .execute(arguments);
  }

  private static int refuse(PrintStream err, String mistake) {
    err.println("tpch: " + mistake + "; --help lists the options");
    return ExitCode.USAGE;
  }

  @Override
  public Integer call() {
    if (data != null && (scale != null || writeData != null)) {
      return refuse(
          err,
          "--data reads rows, and "
              + (scale != null ? "--scale" : "--write-data")
              + " is about generated ones: give one of them");
    }
    DeviceChoice chosen = device.resolved();
    DeviceRuntime opened;
    try {
      opened = chosen.open(TpchJob.streamsAtOnce(streams), trace != null);
    } catch (DeviceException e) {
      return fail(e);
    }
    try {
      return run(chosen, opened);
    } catch (DataFileException | UncheckedIOException e) {
      return fail(e);
    }
  }

  private int run(DeviceChoice chosen, DeviceRuntime opened) {
    TpchJob job = new TpchJob(streams, threads, oracle);
    TpchData rows;
    JobReport report;
    try (opened) {
      rows = data != null ? job.read(data) : generated(job, opened);
      report = job.run(opened, data != null ? "of the files in " + data : atScale(opened), rows);
    }
    int repeats = repeat != null ? repeat : opened.isSimulated() ? 0 : REPEATS_ON_A_GPU;
    if (repeats > 0) {
      report = job.repeat(chosen, rows, report, repeats);
    }
    if (graphs) {
      report = job.graphs(chosen, rows, report, Math.max(1, repeats));
    }
    out.println(ReportText.of(report));
    if (trace != null) {
      opened.trace().writeHtml(trace);
      out.println("Open " + trace + " in a browser to see the work on each stream.");
    }
    return report.agrees() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private double factor(DeviceRuntime device) {
    return scale != null ? scale : device.isSimulated() ? 0.01 : 1;
  }

  private String atScale(DeviceRuntime device) {
    return "at scale " + BigDecimal.valueOf(factor(device)).stripTrailingZeros().toPlainString();
  }

  private TpchData generated(TpchJob job, DeviceRuntime device) {
    if (writeData != null) {
      TpchFiles.requireNew(writeData);
    }
    TpchData rows = generateWithProgress(job, factor(device));
    if (writeData != null) {
      job.write(writeData, rows);
    }
    return rows;
  }

  private int fail(RuntimeException failure) {
    err.println("tpch: " + oneLine(failure));
    return ExitCode.SOFTWARE;
  }

  private TpchData generateWithProgress(TpchJob job, double factor) {
    try (ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName("Generating orders")
            .setInitialMax(TpchGenerator.orderCount(factor))
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(err, CONSOLE_WIDTH))
            .build()) {
      return job.generate(factor, bar::stepBy);
    }
  }

  private static String oneLine(RuntimeException failure) {
    return String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
  }
}

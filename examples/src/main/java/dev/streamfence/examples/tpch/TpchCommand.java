package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
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
import picocli.CommandLine.ParameterException;

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
      "1:an answer is wrong, or the device failed",
      "2:an option is wrong"
    },
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExample:%n",
    footer = "  tpch --scale 0.02 --device simulated --streams 8")
public final class TpchCommand implements Callable<Integer> {
  private static final int CONSOLE_WIDTH = 79;

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
        .setParameterExceptionHandler((failure, given) -> refuse(err, failure))
        .execute(arguments);
  }

  private static int refuse(PrintStream err, ParameterException failure) {
    err.println("tpch: " + oneLine(failure) + "; --help lists the options");
    return ExitCode.USAGE;
  }

  @Override
  public Integer call() {
    DeviceRuntime opened;
    try {
      opened = device.open(TpchJob.streamsAtOnce(streams));
    } catch (DeviceException e) {
      err.println("tpch: " + oneLine(e));
      return ExitCode.SOFTWARE;
    }
    try (opened) {
      double factor = scale != null ? scale : opened.isSimulated() ? 0.01 : 1;
      TpchJob job = new TpchJob(factor, streams, threads, oracle);
      JobReport report = job.run(opened, generateWithProgress(job, factor));
      out.println(ReportText.of(report));
      return report.agrees() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
  }

  private TpchData generateWithProgress(TpchJob job, double factor) {
    try (ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName("Generating orders")
            .setInitialMax(TpchGenerator.orderCount(factor))
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(err, CONSOLE_WIDTH))
            .build()) {
      return job.generate(bar::stepBy);
    }
  }

  private static String oneLine(RuntimeException failure) {
    return String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
  }
}

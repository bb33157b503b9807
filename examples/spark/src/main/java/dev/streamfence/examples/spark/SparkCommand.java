package dev.streamfence.examples.spark;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the job. */
@Command(
    name = "spark",
    sortOptions = false,
    description = {
      "Runs Q1 of TPC-H as a job of Apache Spark, on a cluster that it starts on this machine. The"
          + " tasks filter and aggregate on the GPU of their executor, or on the simulated device,"
          + " and the answer is compared with that of Spark alone."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:the answers agree", "1:they differ, or the job failed", "2:a wrong option"},
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n")
public final class SparkCommand implements Callable<Integer> {
  private static final int MOST_EXECUTORS = 8;
  private static final int PARTS_PER_EXECUTOR = 4;

  private final PrintStream out;

  @Spec private CommandLine.Model.@Nullable CommandSpec spec;

  @Option(
      names = "--home",
      paramLabel = "<folder>",
      required = true,
      description = "Gets the generated rows and the logs of the executors: SPARK_HOME.")
  private Path home = Path.of(".");

  @Option(
      names = "--discovery-script",
      paramLabel = "<file>",
      required = true,
      description = "Tells Spark which GPUs there are.")
  private Path discoveryScript = Path.of(".");

  @Option(
      names = "--executors",
      paramLabel = "<count>",
      defaultValue = "2",
      description = "How many, from 1 to 8; each takes a GPU. Default: ${DEFAULT-VALUE}.")
  private int executors;

  @Option(
      names = "--scale",
      paramLabel = "<factor>",
      defaultValue = "0.01",
      description =
          "How much data, from 0.001 to 10; 1 is 6 million line items. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--data",
      paramLabel = "<folder>",
      description = "Reads line items from Parquet files with TPC-H's columns instead.")
  private @Nullable Path data;

  @Option(
      names = "--lose",
      description = "Runs the job once more, and ends an executor in the middle of it.")
  private boolean lose;

  @SuppressWarnings("UnusedVariable") // picocli reads the option; nothing reads the field.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this text.")
  private boolean help;

  private SparkCommand(PrintStream out) {
    this.out = out;
  }

  /** Runs the job and ends the JVM with its exit status. */
  public static void main(String[] arguments) {
    System.exit(run(System.out, System.err, arguments));
  }

  /** Runs the job and returns its exit status. */
  static int run(PrintStream out, PrintStream err, String... arguments) {
    return new CommandLine(new SparkCommand(out))
        .setOut(new PrintWriter(out, true, Charset.defaultCharset()))
        .setErr(new PrintWriter(err, true, Charset.defaultCharset()))
        .setParameterExceptionHandler(
            (failure, given) -> {
              err.println("spark: " + failure.getMessage() + "; --help lists the options");
              return ExitCode.USAGE;
            })
        .execute(arguments);
  }

  @Override
  public Integer call() throws IOException {
    require(executors >= 1 && executors <= MOST_EXECUTORS, "--executors is from 1 to 8");
    require(scale >= 0.001 && scale <= 10, "--scale is from 0.001 to 10");
    try (SparkSession spark =
        new LocalCluster(executors, home, discoveryScript).start("TPC-H Q1 on devices")) {
      SparkJob job = new SparkJob(lineItems(spark));
      SparkJob.Run expected = job.bySpark();
      boolean agrees = print(job.onDevices(), expected);
      if (lose) {
        out.println();
        out.println("Again, and an executor is lost in the middle:");
        agrees &= print(job.onDevicesWithALoss(), expected);
      }
      return agrees ? ExitCode.OK : ExitCode.SOFTWARE;
    }
  }

  private void require(boolean holds, String rule) {
    if (!holds && spec != null) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }

  private Dataset<Row> lineItems(SparkSession spark) {
    String files = data != null ? data.toString() : home.resolve("lineitem").toString();
    if (data == null) {
      LineItems.generated(spark, scale, executors * PARTS_PER_EXECUTOR)
          .write()
          .mode("overwrite")
          .parquet(files);
    }
    return spark.read().parquet(files);
  }

  private boolean print(SparkJob.Run run, SparkJob.Run expected) {
    boolean agrees = run.answer().equals(expected.answer());
    out.println(RunText.devices(run.uses()));
    out.println(RunText.answer(run.answer()));
    out.printf(
        "%s on devices, %s by Spark alone; the answers %s%n",
        RunText.seconds(run.time()), RunText.seconds(expected.time()), agrees ? "agree" : "differ");
    return agrees;
  }
}

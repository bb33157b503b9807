package dev.streamfence.examples.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/**
 * The runs of the job on clusters of 2 and 4 executors, which the tests look at. A cluster takes
 * seconds to start.
 *
 * @param bySpark without a device
 * @param two on 2 executors
 * @param killed on 2 executors, one of which was killed
 * @param broken on 2 executors, one of which lost its device
 * @param replaced on 2 executors, after both losses
 * @param four what the command printed on 4 executors
 * @param shared what pairs of tasks had at the same time
 * @param logs what the executors of the first cluster have said about their devices
 */
record JobRuns(
    SparkJob.Run bySpark,
    SparkJob.Run two,
    SparkJob.Run killed,
    SparkJob.Run broken,
    SparkJob.Run replaced,
    Printed four,
    List<SharedRuntime.Seen> shared,
    List<String> logs) {
  private static final Path HOME = Path.of(System.getenv("SPARK_HOME"));
  private static final Path SCRIPT = Path.of("discover-gpus.sh").toAbsolutePath();
  private static final String FILES = HOME.resolve("test-lineitem").toString();

  /** Starts both clusters, one after the other, and runs everything. */
  static JobRuns all() throws IOException {
    SparkSession spark = new LocalCluster(2, HOME, SCRIPT).start("two executors");
    String id = spark.sparkContext().applicationId();
    SparkJob.Run bySpark;
    SparkJob.Run two;
    SparkJob.Run killed;
    SparkJob.Run broken;
    SparkJob.Run replaced;
    List<SharedRuntime.Seen> shared;
    try (spark) {
      write(LineItems.generated(spark, 0.002, 8));
      SparkJob job = new SparkJob(spark.read().parquet(FILES));
      bySpark = job.bySpark();
      two = job.onDevices();
      shared =
          JavaSparkContext.fromSparkContext(spark.sparkContext())
              .parallelize(IntStream.range(0, 4).boxed().toList(), 4)
              .mapPartitions(new SharedRuntime())
              .collect();
      killed = job.onDevicesWithALoss();
      awaitTwoExecutors(spark);
      broken = job.onDevices(BreakOnce::new);
      awaitTwoExecutors(spark);
      replaced = job.onDevices();
    }
    return new JobRuns(
        bySpark, two, killed, broken, replaced, command("--executors=4"), shared, logs(id));
  }

  /** What a command has printed, and how it ended. */
  record Printed(String text, int status) {
    /** Runs the command over the files. */
    static Printed of(String... options) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      try (PrintStream console = new PrintStream(text, true, UTF_8)) {
        int status = SparkCommand.run(console, console, options);
        return new Printed(text.toString(UTF_8), status);
      }
    }
  }

  private static Printed command(String executors) {
    return Printed.of(
        executors, "--home=" + HOME, "--discovery-script=" + SCRIPT, "--data=" + FILES);
  }

  private static void awaitTwoExecutors(SparkSession spark) {
    while (spark.sparkContext().statusTracker().getExecutorInfos().length < 3) {
      LockSupport.parkNanos(10_000_000); // The third is the driver.
    }
  }

  /** Files of several row groups, with nulls in every column and one file without rows. */
  private static void write(Dataset<Row> lineItems) {
    Dataset<Row> withNulls = lineItems;
    for (int i = 0; i < PricingTotals.COLUMNS.size(); i++) {
      String name = PricingTotals.COLUMNS.get(i);
      withNulls =
          withNulls.withColumn(
              name, functions.expr("if(l_orderkey %% 31 = %d, null, %s)".formatted(i, name)));
    }
    withNulls
        .where("spark_partition_id() != 3")
        .write()
        .mode("overwrite")
        .option("parquet.block.size", 64 << 10)
        .parquet(FILES);
  }

  private static List<String> logs(String application) {
    try (Stream<Path> executors = Files.list(HOME.resolve("work").resolve(application))) {
      return executors.sorted().map(JobRuns::log).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String log(Path executor) {
    Path log = executor.resolve("device.log");
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

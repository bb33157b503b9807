package dev.streamfence.examples.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/**
 * A cluster of Spark on this machine, which needs no installation: a master and a worker in this
 * process, and executors in processes of their own. Immutable.
 *
 * @param executors how many
 * @param home the folder {@code SPARK_HOME}, which gets the logs of the executors
 * @param discoveryScript tells Spark which GPUs there are
 */
record LocalCluster(int executors, Path home, Path discoveryScript) {
  /** So that two tasks share the device of an executor. */
  static final int TASKS_PER_EXECUTOR = 2;

  private static final int ROWS_PER_BATCH = 1 << 16;

  /** The least that Spark accepts is 450 MiB. */
  private static final int MEBIBYTES_PER_EXECUTOR = 512;

  /**
   * Starts the cluster. The caller stops it.
   *
   * @throws UncheckedIOException if the folder cannot be written
   */
  SparkSession start(String name) {
    int cores = executors * TASKS_PER_EXECUTOR;
    try {
      // Spark's launcher takes all jars of this folder; the executors get the class path instead.
      Files.createDirectories(home.resolve("jars"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return SparkSession.builder()
        .appName(name)
        // One worker, since each would find all GPUs of the machine.
        .master("local-cluster[1, %d, %d]".formatted(cores, executors * MEBIBYTES_PER_EXECUTOR))
        .config("spark.cores.max", cores)
        .config("spark.executor.cores", TASKS_PER_EXECUTOR)
        .config("spark.executor.memory", MEBIBYTES_PER_EXECUTOR + "m")
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config(
            "spark.executor.extraJavaOptions",
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData")
        .config("spark.scheduler.minRegisteredResourcesRatio", 1.0)
        // The GPUs: which there are, one for each executor, and half of it for each task.
        .config("spark.worker.resource.gpu.discoveryScript", discoveryScript.toString())
        .config("spark.worker.resource.gpu.amount", executors)
        .config("spark.executor.resource.gpu.amount", 1)
        .config("spark.task.resource.gpu.amount", 1.0 / TASKS_PER_EXECUTOR)
        .config("spark.plugins", DevicePlugin.class.getName())
        // A device needs more rows at a time than Spark's 4096.
        .config("spark.sql.parquet.columnarReaderBatchSize", ROWS_PER_BATCH)
        .config("spark.sql.shuffle.partitions", TASKS_PER_EXECUTOR)
        .config("spark.sql.warehouse.dir", home.resolve("warehouse").toUri().toString())
        .config("spark.local.dir", home.resolve("local").toString())
        .config("spark.ui.enabled", false)
        .getOrCreate();
  }
}

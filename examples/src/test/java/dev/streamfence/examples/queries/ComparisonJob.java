package dev.streamfence.examples.queries;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.examples.tpch.DeviceChoice;
import dev.streamfence.examples.tpch.HostThreads;
import dev.streamfence.examples.tpch.Stopwatch;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs queries in DuckDB and on the device over the same rows. Confined to one thread. */
final class ComparisonJob {
  private final List<Query> queries;
  private final int repeats;
  private final int threads;
  private final Consumer<String> progress;

  /**
   * Creates a job.
   *
   * @param repeats how often each query is timed, at least 1
   * @param threads how many threads DuckDB and the generator of rows have
   * @param progress receives the name of each phase before it begins
   */
  ComparisonJob(List<Query> queries, int repeats, int threads, Consumer<String> progress) {
    this.queries = List.copyOf(queries);
    this.repeats = repeats;
    this.threads = threads;
    this.progress = progress;
  }

  /** Generates the rows, and runs and times every query; waits for the answers. */
  ComparisonReport run(DeviceChoice choice, DataOptions options) {
    progress.accept("rows at scale " + options.scale());
    HostTables tables = TableGenerator.generate(options, threads);
    DuckDbRun inDuckDb = inDuckDb(tables);
    DeviceRun host = onDevice(choice, tables, false);
    DeviceRun kernels = onDevice(choice, tables, true);
    return new ComparisonReport(
        "TPC-H at scale %s on %s; DuckDB %s with %d threads"
            .formatted(options.scale(), host.device, inDuckDb.version, threads),
        host.uploadNanos,
        host.uploadedBytes,
        queries.stream()
            .map(
                query ->
                    times(
                        query,
                        inDuckDb.answers.get(query),
                        host.answers.get(query),
                        kernels.answers.get(query)))
            .toList());
  }

  private static QueryTimes times(
      Query query, TimedAnswer expected, TimedAnswer answer, TimedAnswer ofKernels) {
    return new QueryTimes(
        query.name(),
        expected.answer().rows().size(),
        answer.medianNanos(),
        ofKernels.medianNanos(),
        expected.medianNanos(),
        answer.answer().differenceFrom(expected.answer()).orElse(""));
  }

  private DuckDbRun inDuckDb(HostTables tables) {
    try (HostThreads loaders = new HostThreads("load", threads);
        DuckDb duckDb = DuckDb.open(threads)) {
      progress.accept("load of DuckDB");
      duckDb.load(tables, loaders);
      Map<Query, TimedAnswer> answers = new LinkedHashMap<>();
      for (Query query : queries) {
        progress.accept(query.name() + " in DuckDB");
        answers.put(
            query, TimedAnswer.of(() -> duckDb.answerOf(query), repeats, Stopwatch.ofHost()));
      }
      return new DuckDbRun(duckDb.version(), answers);
    }
  }

  /** The measurements of the device cost the host more than a launch does, so they come apart. */
  private DeviceRun onDevice(DeviceChoice choice, HostTables host, boolean timesKernels) {
    try (DeviceRuntime device = choice.open(1, timesKernels);
        DeviceStream stream = device.streams().acquire()) {
      progress.accept("upload");
      long start = System.nanoTime();
      try (DeviceTables tables = DeviceTables.upload(stream, host)) {
        stream.synchronize();
        long uploadNanos = System.nanoTime() - start;
        Stopwatch stopwatch =
            timesKernels ? Stopwatch.ofKernels(device.trace()) : Stopwatch.ofHost();
        Map<Query, TimedAnswer> answers = new LinkedHashMap<>();
        for (Query query : queries) {
          progress.accept(query.name() + " on the device" + (timesKernels ? ", its kernels" : ""));
          answers.put(query, TimedAnswer.of(() -> query.run(stream, tables), repeats, stopwatch));
        }
        return new DeviceRun(device.info().name(), uploadNanos, tables.sizeInBytes(), answers);
      }
    }
  }

  private record DuckDbRun(String version, Map<Query, TimedAnswer> answers) {}

  private record DeviceRun(
      String device, long uploadNanos, long uploadedBytes, Map<Query, TimedAnswer> answers) {}
}

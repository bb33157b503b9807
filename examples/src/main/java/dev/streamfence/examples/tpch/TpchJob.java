package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeStatistics;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * The whole job: generates the data or reads it from files, uploads it, runs both queries and asks
 * the oracle. Confined to one thread at a time.
 */
final class TpchJob {
  private final int streams;
  private final int threads;
  private final Oracle oracle;
  private final PhaseClock clock = new PhaseClock();

  /**
   * Creates a job for one run.
   *
   * @param streams how many streams share the rows of Q6
   * @param threads how many host threads generate rows and launch Q6
   * @param oracle computes the answers to compare the device's answers with
   */
  TpchJob(int streams, int threads, Oracle oracle) {
    this.streams = streams;
    this.threads = threads;
    this.oracle = oracle;
  }

  /**
   * The number of streams a job needs at the same time if Q6 uses {@code streams}; Q12 uses two.
   */
  static int streamsAtOnce(int streams) {
    return Math.max(streams, 2);
  }

  /**
   * Generates the rows and waits for them.
   *
   * @param scale TPC-H's scale factor
   * @param progress receives the number of orders done since the last call, on any thread
   */
  TpchData generate(double scale, LongConsumer progress) {
    try (HostThreads generators = new HostThreads("generate", threads)) {
      return clock.time("generate", () -> new TpchGenerator(scale, progress).generate(generators));
    }
  }

  /**
   * Reads the rows from {@link TpchFiles} in a folder.
   *
   * @throws DataFileException if they are not there or not as they should be
   */
  TpchData read(Path folder) {
    return clock.time("read", () -> TpchFiles.read(folder));
  }

  /**
   * Writes the rows to {@link TpchFiles} in a folder.
   *
   * @throws DataFileException if they are there already or cannot be written
   */
  void write(Path folder, TpchData data) {
    clock.time(
        "write",
        () -> {
          TpchFiles.write(folder, data);
          return data;
        });
  }

  /**
   * Runs both queries over the rows and waits for them. The device stays open.
   *
   * @param origin where the rows come from, for the report
   */
  JobReport run(DeviceRuntime device, String origin, TpchData data) {
    try (HostThreads launchers = new HostThreads("q6", threads);
        DeviceTables tables = clock.time("upload", () -> upload(device, data))) {
      Q6Answer q6 =
          clock.time(
              "Q6", () -> Q6Query.run(device, tables, Constants.PUBLISHED, streams, launchers));
      Q12Answer q12 = clock.time("Q12", () -> Q12Query.run(device, tables, Constants.PUBLISHED));
      RuntimeStatistics statistics = device.statistics();
      Answers expected = clock.time("oracle", () -> oracle.answersOver(data, Constants.PUBLISHED));
      return new JobReport(
          device.info().name(),
          origin,
          data.orders().rows(),
          data.lineItems().rows(),
          new Answers(q6, q12),
          expected,
          statistics,
          clock.phases(),
          new JobReport.Repeats(0, device.isSimulated(), MemoryPeak.of(device.info()), List.of()),
          List.of());
    }
  }

  /**
   * Repeats both queries and times them, in two runtimes of their own: one without measurements,
   * for the time until the answer is there, and one with device times, which cost the host more
   * than a launch does.
   *
   * @param choice the device
   * @param report of the first run over the same rows
   * @param count how often, at least 1
   * @return the report with the times
   */
  JobReport repeat(DeviceChoice choice, TpchData data, JobReport report, int count) {
    List<QueryTimes> times = clock.time("repeat", () -> timed(choice, data, report, count));
    JobReport.Repeats first = report.repeats();
    return report.with(
        new JobReport.Repeats(count, first.isSimulated(), first.peak(), times),
        report.graphs(),
        clock.phases());
  }

  private List<QueryTimes> timed(DeviceChoice choice, TpchData data, JobReport report, int count) {
    Results host;
    try (DeviceRuntime device = choice.open(streamsAtOnce(streams), false)) {
      host = repeats(device, data, report.onDevice(), new QueryRepeats(count, Stopwatch.ofHost()));
    }
    Results kernels;
    try (DeviceRuntime device = choice.open(streamsAtOnce(streams), true)) {
      Stopwatch stopwatch = Stopwatch.ofKernels(device.trace());
      kernels = repeats(device, data, report.onDevice(), new QueryRepeats(count, stopwatch));
    }
    long orders = report.orders();
    long items = report.lineItems();
    return List.of(
        times("Q6", items, items * Q6Query.BYTES_PER_ROW, host.q6(), kernels.q6()),
        times(
            "Q12",
            orders + items,
            orders * Q12Query.BYTES_PER_ORDER + items * Q12Query.BYTES_PER_LINE_ITEM,
            host.q12(),
            kernels.q12()));
  }

  /**
   * Records both queries as graphs, runs them with all {@linkplain Constants#SETS constants}, and
   * runs them launch by launch with the same ones.
   *
   * @param choice the device
   * @param report of the first run over the same rows
   * @param count how often, at least 1
   * @return the report with the graphs
   */
  JobReport graphs(DeviceChoice choice, TpchData data, JobReport report, int count) {
    List<Answers> expected =
        clock.time(
            "graphs' oracle",
            () -> Constants.SETS.stream().map(set -> oracle.answersOver(data, set)).toList());
    QueryRepeats repeats = new QueryRepeats(count, Stopwatch.ofHost());
    List<GraphTimes> graphs = clock.time("graphs", () -> graphs(choice, data, expected, repeats));
    return report.with(report.repeats(), graphs, clock.phases());
  }

  private List<GraphTimes> graphs(
      DeviceChoice choice, TpchData data, List<Answers> expected, QueryRepeats repeats) {
    try (DeviceRuntime device = choice.open(streamsAtOnce(streams), false);
        HostThreads launchers = new HostThreads("q6", threads);
        DeviceTables tables = upload(device, data)) {
      return List.of(
          graphTimes(
              "Q6",
              device,
              repeats,
              set -> Q6Query.run(device, tables, set, streams, launchers),
              stream -> Q6Query.graph(stream, tables, streams),
              expected.stream().map(Answers::q6).toList()),
          graphTimes(
              "Q12",
              device,
              repeats,
              set -> Q12Query.run(device, tables, set),
              stream -> Q12Query.graph(stream, tables),
              expected.stream().map(Answers::q12).toList()));
    }
  }

  private static <A> GraphTimes graphTimes(
      String query,
      DeviceRuntime device,
      QueryRepeats repeats,
      Function<Constants, A> direct,
      Function<DeviceStream, QueryGraph<A>> record,
      List<A> expected) {
    List<Constants> sets = Constants.SETS;
    QueryRepeats.Result launches = repeats.of(() -> sets.stream().map(direct).toList(), expected);
    try (DeviceStream stream = device.streams().acquire();
        QueryGraph<A> graph = record.apply(stream)) {
      return new GraphTimes(
          query,
          graph.statistics(),
          launches,
          repeats.of(() -> sets.stream().map(graph::run).toList(), expected),
          repeats.of(() -> graph.runAll(sets), expected));
    }
  }

  private Results repeats(
      DeviceRuntime device, TpchData data, Answers expected, QueryRepeats repeats) {
    try (HostThreads launchers = new HostThreads("q6", threads);
        DeviceTables tables = upload(device, data)) {
      return new Results(
          repeats.of(
              () -> Q6Query.run(device, tables, Constants.PUBLISHED, streams, launchers),
              expected.q6()),
          repeats.of(() -> Q12Query.run(device, tables, Constants.PUBLISHED), expected.q12()));
    }
  }

  private static QueryTimes times(
      String query, long rows, long bytes, QueryRepeats.Result host, QueryRepeats.Result kernels) {
    return new QueryTimes(
        query,
        rows,
        bytes,
        host.medianNanos(),
        kernels.medianNanos(),
        host.wrong() + kernels.wrong());
  }

  /** What the repeats of both queries gave. Immutable. */
  private record Results(QueryRepeats.Result q6, QueryRepeats.Result q12) {}

  /**
   * Waits for the copies, so that their time is not measured as a query's. The queries do not need
   * this wait.
   */
  private static DeviceTables upload(DeviceRuntime device, TpchData data) {
    try (DeviceStream stream = device.streams().acquire()) {
      DeviceTables tables = DeviceTables.upload(stream, data);
      try {
        stream.synchronize();
        return tables;
      } catch (RuntimeException e) {
        tables.close();
        throw e;
      }
    }
  }
}

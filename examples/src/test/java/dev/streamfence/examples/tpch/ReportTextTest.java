package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.graph.GraphStatistics;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTextTest {
  /** The clock and the bus that the driver reports of an H200. */
  private static final MemoryPeak H200 = new MemoryPeak(3_201_000, 6144);

  private static final Answers ANSWERS =
      new Answers(new Q6Answer(1_2345), new Q12Answer(1, 2, 3, 4));

  @Test
  void repeatsAreShownWithRatesAndTheShareOfThePeak() {
    List<QueryTimes> times =
        List.of(
            new QueryTimes("Q6", 60_000_000, 1_680_000_000, 512_345, 400_000, 0),
            new QueryTimes("Q12", 75_000_000, 915_000_000, 2_000_000, 1_500_000, 0));
    assertThat(text(new JobReport.Repeats(20, false, H200, times)))
        .contains(
            """
            +-------+---------+------------+-----------+---------+---------+
            | query | host ms | kernels ms | M rows/s  | GB/s    | of peak |
            +-------+---------+------------+-----------+---------+---------+
            | Q6    |   0.512 |      0.400 | 150,000.0 | 4,200.0 |  85.4 % |
            | Q12   |   2.000 |      1.500 |  50,000.0 |   610.0 |  12.4 % |
            +-------+---------+------------+-----------+---------+---------+
            Medians of 20 runs of each query after a warm one:
              host     from the call to the answer
            """)
        .contains(
            "  peak     of the memory, 4,916.7 GB/s: 3,201 MHz, 6,144 bits, two transfers per clock\n")
        .endsWith("Both queries agree with plain Java over the same rows.");
  }

  @Test
  void withoutClockOrBusThereIsNoShareOfThePeak() {
    List<QueryTimes> times = List.of(new QueryTimes("Q6", 60, 1680, 500_000, 1000, 0));
    for (MemoryPeak unknown : List.of(new MemoryPeak(0, 6144), new MemoryPeak(3_201_000, 0))) {
      assertThat(text(new JobReport.Repeats(1, false, unknown, times)))
          .contains("| Q6    |   0.500 |      0.001 |     60.0 |  1.7 |       - |")
          .contains("Medians of 1 run of each query")
          .contains("peak     not known: the driver does not report");
    }
  }

  @Test
  void timesThatAreTooShortToMeasureHaveNoRates() {
    List<QueryTimes> times = List.of(new QueryTimes("Q6", 60, 1680, 500_000, 0, 0));
    assertThat(text(new JobReport.Repeats(1, false, H200, times)))
        .contains("| Q6    |   0.500 |      0.000 |        - |    - |       - |");
  }

  @Test
  void queriesThatWereNotRepeatedHaveNoTimes() {
    assertThat(text(new JobReport.Repeats(0, false, H200, List.of())))
        .contains("The queries were not repeated.")
        .doesNotContain("of peak");
    assertThat(text(new JobReport.Repeats(0, true, new MemoryPeak(0, 0), List.of())))
        .contains("not repeated: times on the simulated device predict nothing.");
  }

  @Test
  void repeatsWithAnotherAnswerAreAMismatch() {
    JobReport report =
        report(
            new JobReport.Repeats(
                20, false, H200, List.of(new QueryTimes("Q12", 1, 1, 1000, 1000, 3))));
    assertThat(report.agrees()).isFalse();
    assertThat(ReportText.of(report))
        .endsWith("MISMATCH in Q12: repeats whose answer is not that of the first run: 3");
  }

  @Test
  void graphsAreShownWithTheTimePerQueryAndTheirEdges() {
    assertThat(text(withGraph(0, 0, 0)))
        .contains(
            """
            +-------+-----------+----------+-----------+-------+-------+---------+
            | query | direct ms | graph ms | queued ms | nodes | edges | implied |
            +-------+-----------+----------+-----------+-------+-------+---------+
            | Q6    |     0.100 |    0.050 |     0.025 |     8 |     4 |       1 |
            +-------+-----------+----------+-----------+-------+-------+---------+
            Medians per query, from passes over 4 sets of constants after a warm one:
            """)
        .endsWith("Both queries agree with plain Java over the same rows.");
  }

  @Test
  void graphsWithAnotherAnswerAreAMismatch() {
    assertThat(withGraph(0, 0, 1).agrees()).isFalse();
    assertThat(text(withGraph(1, 2, 4)))
        .endsWith("MISMATCH in Q6: passes whose answers are not those of plain Java: 7");
  }

  /** With four sets of constants in 0.4, 0.2 and 0.1 ms, and so many wrong passes. */
  private static JobReport withGraph(int direct, int single, int queued) {
    JobReport report = report(new JobReport.Repeats(0, false, H200, List.of()));
    GraphTimes times =
        new GraphTimes(
            "Q6",
            new GraphStatistics(8, 4, 1, 0, 0, 0, 0),
            new QueryRepeats.Result(400_000, direct),
            new QueryRepeats.Result(200_000, single),
            new QueryRepeats.Result(100_000, queued));
    return report.with(report.repeats(), List.of(times), report.phases());
  }

  private static String text(JobReport.Repeats repeats) {
    return text(report(repeats));
  }

  private static String text(JobReport report) {
    return ReportText.of(report).replace(System.lineSeparator(), "\n");
  }

  private static JobReport report(JobReport.Repeats repeats) {
    try (DeviceRuntime device = DeviceRuntime.simulated()) {
      return new JobReport(
          "a device",
          "at scale 1",
          1,
          2,
          ANSWERS,
          ANSWERS,
          device.statistics(),
          List.of(new JobReport.Phase("Q6", 1)),
          repeats,
          List.of());
    }
  }
}

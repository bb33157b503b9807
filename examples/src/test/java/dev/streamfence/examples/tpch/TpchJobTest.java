package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TpchJobTest {
  @Test
  void wholeJobAgreesWithPlainJavaOnTheSimulatedDevice() {
    Console console = new Console();
    int exit = console.run("--scale", "0.001", "--device", "simulated");
    assertThat(exit).as(console.out() + console.err()).isZero();
    assertThat(console.out())
        .contains("TPC-H at scale 0.001 on simulated device")
        .contains("1,500")
        .contains("launches", "driver calls", "waits", "events")
        .contains("generate", "upload", "Q6", "Q12", "oracle", "total")
        .contains("The queries were not repeated")
        .contains("Both queries agree");
    assertThat(console.err()).contains("Generating orders", "100%").doesNotContain("tpch:");
  }

  @Test
  void repeatedQueriesAreTimedOnTheHostAndOnTheDevice() {
    TpchJob job = new TpchJob(3, 2, new JavaOracle());
    TpchData data = job.generate(0.001, orders -> {});
    JobReport first;
    try (DeviceRuntime device = DeviceChoice.SIMULATED.open(3, false)) {
      first = job.run(device, "at scale 0.001", data);
    }
    JobReport report = job.repeat(DeviceChoice.SIMULATED, data, first, 2);
    assertThat(report.agrees()).isTrue();
    assertThat(report.phases()).last().extracting(JobReport.Phase::name).isEqualTo("repeat");
    assertThat(report.repeats().count()).isEqualTo(2);
    assertThat(report.repeats().times())
        .extracting(QueryTimes::query, QueryTimes::rows, QueryTimes::bytes)
        .containsExactly(
            tuple("Q6", 6005L, 6005L * 28), tuple("Q12", 7505L, 6005L * 13 + 1500L * 9));
    assertThat(report.repeats().times())
        .allSatisfy(
            times -> {
              assertThat(times.hostNanos()).isPositive();
              assertThat(times.kernelNanos()).isPositive();
              assertThat(times.wrong()).isZero();
            });
  }

  @Test
  void graphsRunWithOtherConstantsBesideTheDirectLaunches() {
    Console console = new Console();
    int exit =
        console.run("--scale", "0.001", "--device", "simulated", "--streams", "3", "--graphs");
    assertThat(exit).as(console.out() + console.err()).isZero();
    assertThat(console.out())
        .containsPattern("Q6 +(\\| +\\d+\\.\\d{3} ){3}\\| +6 \\| +3 \\| +0 \\|")
        .containsPattern("Q12 +(\\| +\\d+\\.\\d{3} ){3}\\| +4 \\| +3 \\| +0 \\|")
        .contains("from passes over 4 sets of constants", "predict nothing on this device")
        .contains("Both queries agree");
  }

  @Test
  void wrongAnswerForOtherConstantsIsNamedAndEndsWithAnError() {
    Console console = new Console();
    Oracle wrong =
        (data, constants) ->
            new JavaOracle()
                .answersOver(
                    data,
                    constants.equals(Constants.PUBLISHED) ? constants : Constants.SETS.get(1));
    assertThat(console.run(wrong, "--scale", "0.001", "--device", "simulated", "--graphs"))
        .isEqualTo(1);
    assertThat(console.out()).contains("MISMATCH in Q6: passes", "MISMATCH in Q12: passes");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "7, 2", "64, 3"})
  void answersDoNotDependOnStreamsAndThreads(int streams, int threads) {
    TpchJob job = new TpchJob(streams, threads, new JavaOracle());
    try (DeviceRuntime device =
        DeviceChoice.SIMULATED.open(TpchJob.streamsAtOnce(streams), false)) {
      JobReport report = job.run(device, "at scale 0.001", job.generate(0.001, orders -> {}));
      assertThat(report.onDevice()).isEqualTo(report.expected());
      assertThat(report.onDevice().q6().centHundredths()).isPositive();
      assertThat(report.onDevice().q12().firstLow()).isPositive();
    }
  }

  @Test
  void probeWaitsForTheBuildOnTheDevice() {
    TpchData data = TpchGeneratorTest.generate(0.001, 1);
    try (DeviceRuntime device =
            DeviceRuntime.simulated(SimulatedDevice.builder().schedule(Schedule.LAZY).build());
        DeviceStream stream = device.streams().acquire();
        DeviceTables tables = DeviceTables.upload(stream, data)) {
      device.synchronize();
      long before = device.statistics().waits();
      Q12Query.run(device, tables, Constants.PUBLISHED);
      assertThat(device.statistics().waits()).isGreaterThan(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Q6", "Q12"})
  void wrongAnswerIsNamedAndEndsWithAnError(String query) {
    Console console = new Console();
    Oracle wrong =
        (data, constants) -> {
          Answers right = new JavaOracle().answersOver(data, constants);
          return query.equals("Q6")
              ? new Answers(new Q6Answer(right.q6().centHundredths() + 1), right.q12())
              : new Answers(right.q6(), new Q12Answer(0, 0, 0, 0));
        };
    assertThat(console.run(wrong, "--scale", "0.001", "--device", "simulated")).isEqualTo(1);
    assertThat(console.out()).containsOnlyOnce("MISMATCH").contains("MISMATCH in " + query + ":");
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 4", "3, 8", "1000, 2048", "1500000, 4194304", "536870912, 1073741824"})
  void hashTableStaysHalfEmpty(int orders, int slots) {
    assertThat(Q12Query.slotsFor(orders)).isEqualTo(slots);
  }

  @Test
  @Tag("gpu")
  void answersAtScaleOneOnTheGpuAreThePublishedOnes() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      TpchJob job = new TpchJob(4, 4, new JavaOracle());
      Answers answers = job.run(gpu, "at scale 1", job.generate(1, orders -> {})).onDevice();
      assertThat(answers.q6().revenue()).hasToString("123141078.23");
      assertThat(answers.q12()).isEqualTo(new Q12Answer(6202, 9324, 6200, 9262));
    }
  }
}

package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The job on clusters of processes, as a user runs it: most of a minute on two processors. */
@Tag("exhaustive")
class SparkJobTest {
  private static JobRuns runs;

  @BeforeAll
  static void runAll() throws IOException {
    runs = JobRuns.all();
  }

  @Test
  void twoExecutorsGiveTheAnswerOfSpark() {
    assertThat(runs.two().answer()).isEqualTo(runs.bySpark().answer()).hasSizeGreaterThan(4);
    assertThat(executors(runs.two())).containsExactly("0", "1");
  }

  @Test
  void fourExecutorsGiveTheAnswerOfSpark() {
    assertThat(runs.four().text())
        .contains(" by Spark alone; the answers agree")
        .contains("simulated-0", "simulated-1", "simulated-2", "simulated-3");
    assertThat(runs.four().status()).isZero();
  }

  @Test
  void theCommandPrintsTheAnswer() {
    for (Row row : runs.bySpark().answer()) {
      assertThat(runs.four().text())
          .containsPattern(
              IntStream.range(0, row.length())
                  .mapToObj(row::get)
                  .map(cell -> Pattern.quote(cell == null ? "" : cell.toString()))
                  .collect(Collectors.joining(" \\| +", "\\| +", " \\|")));
    }
  }

  @Test
  void theAnswerIsRightAfterAnExecutorWasKilled() {
    assertThat(runs.killed().answer()).isEqualTo(runs.bySpark().answer());
  }

  @Test
  void theAnswerIsRightAfterAnExecutorHasLostItsDevice() {
    assertThat(runs.broken().answer()).isEqualTo(runs.bySpark().answer());
  }

  @Test
  void anExecutorThatTakesThePlaceOfALostOneOpensADeviceAnew() {
    assertThat(runs.replaced().answer()).isEqualTo(runs.bySpark().answer());
    assertThat(executors(runs.replaced())).contains("3");
    assertThat(runs.logs())
        .hasSize(4)
        .allSatisfy(log -> assertThat(log).containsOnlyOnce("opened simulated device"));
  }

  @Test
  void theSchedulerAssignsEachExecutorADeviceOfItsOwn() {
    for (SparkJob.Run run : List.of(runs.two(), runs.replaced())) {
      Map<String, Set<String>> addresses =
          run.uses().stream()
              .collect(
                  Collectors.groupingBy(
                      DeviceUse::executor,
                      Collectors.mapping(DeviceUse::address, Collectors.toSet())));
      assertThat(addresses.values()).allSatisfy(own -> assertThat(own).hasSize(1));
      assertThat(addresses.values()).doesNotHaveDuplicates();
    }
  }

  @Test
  void tasksOfAnExecutorShareItsRuntimeAndHaveStreamsOfTheirOwn() {
    Map<String, List<SharedRuntime.Seen>> pairs =
        runs.shared().stream().collect(Collectors.groupingBy(SharedRuntime.Seen::executor));
    assertThat(pairs.values())
        .hasSize(2)
        .allSatisfy(
            pair -> {
              assertThat(pair).hasSize(2);
              assertThat(pair.get(0).runtime()).isEqualTo(pair.get(1).runtime());
              assertThat(pair.get(0).stream()).isNotEqualTo(pair.get(1).stream());
            });
  }

  @Test
  void anExecutorClosesItsRuntimeAndLeavesNothingOpen() {
    assertThat(runs.logs().stream().filter(log -> log.contains("closed simulated device")))
        .as("all but the one that was killed")
        .hasSize(3)
        .allSatisfy(log -> assertThat(log).contains("0 bytes were left"));
  }

  private static Set<String> executors(SparkJob.Run run) {
    return run.uses().stream()
        .map(DeviceUse::executor)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}

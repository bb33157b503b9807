package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options, without a cluster; {@link SparkJobTest} runs the command on one. */
class SparkCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--executors=9  | spark: --executors is from 1 to 8; --help lists the options",
        "--executors=0  | spark: --executors is from 1 to 8; --help lists the options",
        "--scale=0      | spark: --scale is from 0.001 to 10; --help lists the options",
        "--scale=NaN    | spark: --scale is from 0.001 to 10; --help lists the options",
        "--speed=2      | spark: Unknown option: '--speed=2'; --help lists the options",
      })
  void aWrongOptionIsRefused(String option, String message) {
    JobRuns.Printed printed =
        JobRuns.Printed.of("--home=target", "--discovery-script=discover-gpus.sh", option);

    assertThat(printed.text()).isEqualToIgnoringNewLines(message);
    assertThat(printed.status()).isEqualTo(2);
  }

  @Test
  void theHelpListsTheOptions() {
    JobRuns.Printed help = JobRuns.Printed.of("--help");

    assertThat(help.text()).contains("--executors", "--scale", "--data", "--lose");
    assertThat(help.status()).isZero();
  }
}

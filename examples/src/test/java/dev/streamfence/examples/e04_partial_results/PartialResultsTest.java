package dev.streamfence.examples.e04_partial_results;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartialResultsTest {
  /** The device also reports reads of unwritten bytes, such as those behind the values kept. */
  private static SimulatedDevice device(Schedule schedule) {
    return SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void keepsWhatPassesOnEverySchedule(Schedule schedule) {
    int[] values = new Random(11).ints(1001, 0, 100).toArray();
    int[] expected = Arrays.stream(values).filter(value -> value >= 70).toArray();
    SimulatedDevice simulated = device(schedule);
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
      assertThat(PartialResults.atLeast(device, values, 70)).containsExactlyInAnyOrder(expected);
    }
    assertThat(simulated.findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void valuesMayAllPassOrAllFail(int length) {
    int[] values = new int[length];
    Arrays.setAll(values, i -> i);
    try (DeviceRuntime device = DeviceRuntime.simulated(device(Schedule.LAZY))) {
      assertThat(PartialResults.atLeast(device, values, 0)).containsExactlyInAnyOrder(values);
      assertThat(PartialResults.atLeast(device, values, length)).isEmpty();
    }
  }

  @Test
  void downloadsTheCountsAndTheValuesKeptAndNothingElse() {
    try (DeviceRuntime device = DeviceRuntime.simulated(device(Schedule.LAZY))) {
      PartialResults.atLeast(device, new int[] {3, 9, 1, 7, 8, 2, 5, 4}, 5);
      assertThat(device.memory().statistics().downloadedBytes()).isEqualTo((2 + 4) * Integer.BYTES);
    }
  }

  /** Stream b waits for the upload, and later for the download on stream a. */
  @Test
  void launchesOnTheTwoPartsDoNotWaitForEachOther() {
    try (DeviceRuntime device = DeviceRuntime.simulated(device(Schedule.LAZY))) {
      PartialResults.atLeast(device, new int[] {3, 9, 1, 7, 8, 2, 5, 4}, 5);
      assertThat(device.statistics().waits()).isEqualTo(2);
    }
  }

  @Test
  void printsTheValuesKept() {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      PartialResults.main(new String[0]);
    } finally {
      System.setOut(console);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("[5, 7, 8, 9]");
  }
}

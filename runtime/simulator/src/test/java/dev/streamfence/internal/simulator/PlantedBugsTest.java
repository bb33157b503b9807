package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The checker finds each planted bug on every schedule, and nothing else. */
final class PlantedBugsTest {
  static Stream<Arguments> everyBugUnderEverySchedule() {
    return Arrays.stream(PlantedBugs.values())
        .flatMap(bug -> Arrays.stream(Schedule.values()).map(s -> Arguments.of(bug, s)));
  }

  @Test
  void everyBugHasAProgram() {
    assertThat(Arrays.stream(PlantedBugs.values()).map(Enum::name))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Bug.values()).filter(b -> b != Bug.NONE).map(Enum::name).toList())
        .hasSizeGreaterThanOrEqualTo(30);
  }

  @ParameterizedTest
  @MethodSource("everyBugUnderEverySchedule")
  void aPlantedBugIsFoundUnderEverySchedule(PlantedBugs planted, Schedule schedule) {
    assertThat(findings(planted, Bug.valueOf(planted.name()), schedule))
        .extracting(Finding::kind)
        .contains(planted.kind());
  }

  @ParameterizedTest
  @MethodSource("everyBugUnderEverySchedule")
  void theSameProgramWithoutTheBugHasNoFinding(PlantedBugs planted, Schedule schedule) {
    assertThat(findings(planted, Bug.NONE, schedule)).isEmpty();
  }

  private static List<Finding> findings(PlantedBugs planted, Bug bug, Schedule schedule) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(schedule).seed(7).build();
    device.collectFindings();
    planted.run(new TrackedKernels(device, bug));
    return device.findings();
  }
}

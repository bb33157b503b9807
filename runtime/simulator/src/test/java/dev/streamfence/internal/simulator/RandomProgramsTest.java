package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.internal.simulator.Programs.HostCopies;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The runtime's own tracker under the checker. A failure says the seed that gives it again. */
@Tag("search")
final class RandomProgramsTest {
  private static final int SEEDS = 150;

  @ParameterizedTest
  @EnumSource
  void theRuntimeOrdersEveryRandomProgram(Schedule schedule) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Programs program =
          new Programs(
              seed,
              2 + (int) (seed % 4),
              1 + (int) (seed % 5),
              60,
              HostCopies.values()[(int) (seed % 3)]);
      SimulatedDevice device =
          SimulatedDevice.builder()
              .schedule(schedule)
              .seed(seed)
              .checkUninitializedReads(true)
              .build();
      device.collectFindings();
      program.run(DeviceRuntime.simulated(device));
      assertThat(device.findings()).as("%s, %s", program, schedule).isEmpty();
      assertThat(device.liveObjects()).isZero();
    }
  }
}

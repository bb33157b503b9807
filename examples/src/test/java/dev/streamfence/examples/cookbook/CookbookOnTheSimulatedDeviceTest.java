package dev.streamfence.examples.cookbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** On every schedule, with reads of unwritten bytes reported. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CookbookOnTheSimulatedDeviceTest extends CookbookCases {
  @Test
  void hashTablesHaveRoomForTwiceTheRowsOrAreRefused() {
    assertThat(HashJoin.slots(0)).isEqualTo(4);
    assertThat(HashJoin.slots(5)).isEqualTo(16);
    assertThat(HashJoin.slots((1 << 29) - 1)).isEqualTo(1 << 30);
    assertThatThrownBy(() -> HashJoin.slots(1 << 29)).isInstanceOf(IllegalArgumentException.class);
  }

  @Override
  int most() {
    return 257;
  }

  @Override
  void onEachDevice(Consumer<DeviceRuntime> operation) {
    for (Schedule schedule : Schedule.values()) {
      SimulatedDevice simulated =
          SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
      try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
        operation.accept(device);
        assertThat(device.memory().statistics().liveBytes()).isZero();
      }
      assertThat(simulated.findings()).as(schedule.name()).isEmpty();
    }
  }
}

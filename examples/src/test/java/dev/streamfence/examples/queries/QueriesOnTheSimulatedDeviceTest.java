package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.function.Consumer;
import org.junit.jupiter.api.TestInstance;

/** With few rows, and reads of unwritten bytes and races reported. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueriesOnTheSimulatedDeviceTest extends QueryCases {
  @Override
  double scale() {
    return 0.002;
  }

  @Override
  void onTheDevice(Consumer<DeviceRuntime> operation) {
    SimulatedDevice simulated = SimulatedDevice.builder().checkUninitializedReads(true).build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
      operation.accept(device);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
    assertThat(simulated.findings()).isEmpty();
  }
}

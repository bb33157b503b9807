package dev.streamfence.examples.e02_two_streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

class TwoStreamsTest {
  @Test
  void consumerSeesWhatTheProducerWrote() {
    try (DeviceRuntime device =
        DeviceRuntime.simulated(SimulatedDevice.builder().schedule(Schedule.LAZY).build())) {
      long[] squares = TwoStreams.squares(device, 46_000, 1000);
      assertThat(squares).hasSize(1000).startsWith(2_116_000_000L).endsWith(2_208_906_001L);
    }
  }

  @Test
  void consumerWaitsForTheProducerOnTheDevice() {
    try (DeviceRuntime device =
        DeviceRuntime.simulated(SimulatedDevice.builder().schedule(Schedule.LAZY).build())) {
      TwoStreams.squares(device, 1, 10);
      assertThat(device.statistics().waits()).isPositive();
    }
  }
}

package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Nested;

final class PressureOnTheSimulatedDeviceTest {
  private abstract static class Simulated extends PressureSuite {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      return DeviceRuntime.simulated(
          SimulatedDevice.builder().schedule(Schedule.LAZY).build(), options);
    }

    @Override
    int elements() {
      return 64;
    }

    @Override
    int iterations() {
      return 16;
    }
  }

  @Nested
  final class StreamOrdered extends Simulated {}

  @Nested
  final class FromTheCachingPool extends Simulated {
    @Override
    RuntimeOptions options() {
      return super.options().withCachingPool(true);
    }
  }
}

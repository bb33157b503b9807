package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Nested;

final class MemoryTasksOnTheSimulatedDeviceTest {
  private abstract static class Simulated extends MemoryTasksSuite {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      return DeviceRuntime.simulated(
          SimulatedDevice.builder().schedule(Schedule.LAZY).build(), options);
    }

    @Override
    int share() {
      return 64;
    }

    @Override
    int rounds() {
      return 3;
    }
  }

  @Nested
  final class StreamOrdered extends Simulated {}

  @Nested
  final class FromTheCachingPool extends Simulated {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      return super.open(options.withCachingPool(true));
    }
  }
}

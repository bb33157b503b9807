package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The suite under each schedule: unordered work gives a wrong result under one of the last two. */
final class RuntimeOnTheSimulatedDeviceTest {
  private abstract static class Simulated extends RuntimeSuite {
    abstract SimulatedDevice device();

    @Override
    DeviceRuntime open() {
      return DeviceRuntime.simulated(device());
    }

    @Override
    int scale() {
      return 1;
    }
  }

  @Nested
  @Tag("exhaustive")
  final class AsEarlyAsPossible extends Simulated {
    @Override
    SimulatedDevice device() {
      return SimulatedDevice.builder().build();
    }
  }

  @Nested
  final class AsLateAsPossible extends Simulated {
    @Override
    SimulatedDevice device() {
      return SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    }
  }

  @Nested
  @Tag("exhaustive")
  final class FromTheCachingPool extends Simulated {
    @Override
    SimulatedDevice device() {
      return SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    }

    @Override
    DeviceRuntime open() {
      return DeviceRuntime.simulated(device(), RuntimeOptions.defaults().withCachingPool(true));
    }
  }

  @Nested
  @Tag("exhaustive")
  final class AtRandom extends Simulated {
    @Override
    SimulatedDevice device() {
      return SimulatedDevice.builder().schedule(Schedule.RANDOM).seed(42).build();
    }
  }
}

package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

    /** Here only until it is closed: the pool has the memory then. */
    @Override
    @Test
    void anUploadCountsUntilItIsFreedAndReaped() {
      try (DeviceRuntime gpu = open();
          DeviceStream stream = gpu.streams().acquire()) {
        gpu.memory().upload(stream, new float[1000]).close();
        assertThat(gpu.memory().bytesOutstanding()).isZero();
      }
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

package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

final class InstructionGroupsOnTheSimulatedDeviceTest {
  private abstract static class OnTheSimulatedDevice extends InstructionGroupsSuite {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      // Several blocks add with the scope of a block: the results are right, since one runs at a
      // time.
      return DeviceRuntime.simulated(
          SimulatedDevice.builder().checkThreadRaces(false).build(), options);
    }
  }

  @Nested
  final class StreamOrdered extends OnTheSimulatedDevice {}

  @Nested
  @Tag("exhaustive")
  final class Guarded extends OnTheSimulatedDevice {
    @Override
    RuntimeOptions options() {
      return super.options().withGuardMemory(true);
    }
  }

  @Nested
  @Tag("exhaustive")
  final class Direct extends OnTheSimulatedDevice {
    @Override
    RuntimeOptions options() {
      return super.options().withDirectMemory(true);
    }
  }
}

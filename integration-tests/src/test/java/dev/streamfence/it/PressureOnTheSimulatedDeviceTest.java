package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;

final class PressureOnTheSimulatedDeviceTest extends PressureSuite {
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

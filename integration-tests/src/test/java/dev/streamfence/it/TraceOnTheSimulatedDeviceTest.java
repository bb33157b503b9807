package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;

final class TraceOnTheSimulatedDeviceTest extends TraceSuite {
  @Override
  DeviceRuntime open(RuntimeOptions options) {
    return DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
  }
}

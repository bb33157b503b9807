package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;

final class ExchangeOnTheSimulatedDeviceTest extends ExchangeSuite {
  @Override
  DeviceRuntime open() {
    return DeviceRuntime.simulated(SimulatedDevice.builder().schedule(Schedule.LAZY).build());
  }
}

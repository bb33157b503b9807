package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;

final class GraphsOnTheSimulatedDeviceTest extends GraphSuite {
  @Override
  DeviceRuntime open() {
    return DeviceRuntime.simulated();
  }

  @Override
  int scale() {
    return 1;
  }
}

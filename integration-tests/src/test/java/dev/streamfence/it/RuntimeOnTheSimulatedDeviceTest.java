package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;

final class RuntimeOnTheSimulatedDeviceTest extends RuntimeSuite {
  @Override
  DeviceRuntime open() {
    return DeviceRuntime.simulated();
  }

  @Override
  int scale() {
    return 1;
  }
}

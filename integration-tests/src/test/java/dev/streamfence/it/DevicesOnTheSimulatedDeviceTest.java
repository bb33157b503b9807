package dev.streamfence.it;

import dev.streamfence.DeviceGroup;

final class DevicesOnTheSimulatedDeviceTest extends DevicesSuite {
  @Override
  DeviceGroup open() {
    return DeviceGroup.simulated(2);
  }

  @Override
  int length() {
    return 64;
  }

  @Override
  int slowness() {
    return 3;
  }
}

package dev.streamfence.it;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;

final class ChecksumsOnTheSimulatedDeviceTest extends ChecksumSuite {
  @Override
  DeviceRuntime open(RuntimeOptions options) {
    return DeviceRuntime.simulated(
        SimulatedDevice.builder().schedule(Schedule.LAZY).build(), options);
  }

  @Override
  String device() {
    return "simulated";
  }

  @Override
  int elements() {
    return 40;
  }

  @Override
  int programs() {
    return 4;
  }

  @Override
  int processes() {
    return 3;
  }
}

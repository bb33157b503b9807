package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.SimulatedDevice;

/** With reads of unwritten bytes and races reported. */
class QueryKernelsOnTheSimulatedDeviceTest extends QueryKernelCases {
  @Override
  void onTheDevice(DeviceOperation operation) {
    SimulatedDevice simulated = SimulatedDevice.builder().checkUninitializedReads(true).build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire()) {
      operation.on(device, stream);
    }
    assertThat(simulated.findings()).isEmpty();
  }
}

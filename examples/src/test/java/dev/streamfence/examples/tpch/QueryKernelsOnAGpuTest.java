package dev.streamfence.examples.tpch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.junit.jupiter.api.Tag;

/** A GPU refuses loads whose address is not aligned, and loses its context. */
@Tag("gpu")
class QueryKernelsOnAGpuTest extends QueryKernelCases {
  @Override
  void onTheDevice(DeviceOperation operation) {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    try (DeviceRuntime device = DeviceRuntime.open(0);
        DeviceStream stream = device.streams().acquire()) {
      operation.on(device, stream);
    }
  }
}

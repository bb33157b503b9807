package dev.streamfence.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import org.junit.jupiter.api.Tag;

@Tag("gpu")
final class GraphsOnAGpuTest extends GraphSuite {
  @Override
  DeviceRuntime open() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    return DeviceRuntime.open(0);
  }

  @Override
  int scale() {
    return (int) Load.of(100);
  }
}

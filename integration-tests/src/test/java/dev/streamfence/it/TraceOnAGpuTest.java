package dev.streamfence.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import org.junit.jupiter.api.Tag;

@Tag("gpu")
final class TraceOnAGpuTest extends TraceSuite {
  @Override
  DeviceRuntime open(RuntimeOptions options) {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    return DeviceRuntime.open(0, options);
  }
}

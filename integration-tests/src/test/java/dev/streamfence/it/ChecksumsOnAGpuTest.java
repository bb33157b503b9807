package dev.streamfence.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("gpu")
final class ChecksumsOnAGpuTest extends ChecksumSuite {
  @BeforeAll
  static void requireGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  @Override
  DeviceRuntime open(RuntimeOptions options) {
    return DeviceRuntime.open(0, options);
  }

  @Override
  String device() {
    return "gpu";
  }

  @Override
  int elements() {
    return 1 << 16;
  }

  @Override
  int programs() {
    return (int) Load.of(32);
  }

  @Override
  int processes() {
    return (int) Load.of(16);
  }
}

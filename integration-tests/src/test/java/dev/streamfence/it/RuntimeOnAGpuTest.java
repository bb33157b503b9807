package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
final class RuntimeOnAGpuTest extends RuntimeSuite {
  @Override
  DeviceRuntime open() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    return DeviceRuntime.open(0);
  }

  @Override
  int scale() {
    return 100;
  }

  /** Here and not on the simulated device, whose queues live on the Java heap. */
  @Test
  void aLaunchAllocatesNoJavaMemory() {
    for (long bytes : bytesPerThousandLaunches()) {
      assertThat(bytes).isLessThan(1000);
    }
  }
}

package dev.streamfence.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("gpu")
final class MemoryTasksOnAGpuTest {
  private abstract static class OnAGpu extends MemoryTasksSuite {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
      return DeviceRuntime.open(0, options);
    }

    @Override
    int share() {
      return 1 << 18;
    }

    @Override
    int rounds() {
      return (int) Load.of(16);
    }
  }

  @Nested
  final class FromTheCachingPool extends OnAGpu {}

  @Nested
  final class StreamOrdered extends OnAGpu {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      return super.open(options.withCachingPool(false));
    }
  }
}

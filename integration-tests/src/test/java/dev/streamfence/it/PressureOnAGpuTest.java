package dev.streamfence.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("gpu")
final class PressureOnAGpuTest {
  private abstract static class OnAGpu extends PressureSuite {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
      return DeviceRuntime.open(0, options);
    }

    @Override
    int elements() {
      return 4096;
    }

    @Override
    int iterations() {
      return (int) Load.of(128);
    }
  }

  @Nested
  final class FromTheCachingPool extends OnAGpu {}

  @Nested
  final class GuardedFromTheCachingPool extends OnAGpu {
    @Override
    RuntimeOptions options() {
      return super.options().withGuardMemory(true);
    }
  }

  @Nested
  final class StreamOrdered extends OnAGpu {
    @Override
    RuntimeOptions options() {
      return super.options().withCachingPool(false);
    }
  }

  @Nested
  final class Guarded extends OnAGpu {
    @Override
    RuntimeOptions options() {
      return super.options().withCachingPool(false).withGuardMemory(true);
    }
  }

  @Nested
  final class Direct extends OnAGpu {
    @Override
    RuntimeOptions options() {
      return super.options().withDirectMemory(true);
    }
  }
}

package dev.streamfence.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("gpu")
final class InstructionGroupsOnAGpuTest {
  @BeforeAll
  static void requireGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  private abstract static class OnAGpu extends InstructionGroupsSuite {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      return DeviceRuntime.open(0, options);
    }
  }

  @Nested
  final class StreamOrdered extends OnAGpu {}

  @Nested
  final class Guarded extends OnAGpu {
    @Override
    RuntimeOptions options() {
      return super.options().withGuardMemory(true);
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

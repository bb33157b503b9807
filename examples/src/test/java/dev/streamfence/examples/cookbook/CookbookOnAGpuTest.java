package dev.streamfence.examples.cookbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** With two million elements, whose prefix sums take three levels. */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CookbookOnAGpuTest extends CookbookCases {
  // Before the cases make their numbers, which takes longer than finding out.
  @BeforeEach
  void requireGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  @Override
  int most() {
    return 2_000_000;
  }

  @Override
  void onEachDevice(Consumer<DeviceRuntime> operation) {
    try (DeviceRuntime device = DeviceRuntime.open(0)) {
      operation.accept(device);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }
}

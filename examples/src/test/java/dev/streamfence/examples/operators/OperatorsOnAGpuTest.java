package dev.streamfence.examples.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** With more rows. */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperatorsOnAGpuTest extends OperatorCases {
  @BeforeEach
  void requireAGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  @Override
  int most() {
    return 20_000;
  }

  @Override
  void onEachDevice(BiConsumer<DeviceRuntime, DeviceStream> operation) {
    try (DeviceRuntime device = DeviceRuntime.open(0)) {
      try (DeviceStream stream = device.streams().acquire()) {
        operation.accept(device, stream);
      }
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }
}

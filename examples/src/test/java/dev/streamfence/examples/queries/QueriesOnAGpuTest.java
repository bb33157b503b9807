package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** With more rows. */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueriesOnAGpuTest extends QueryCases {
  @BeforeEach
  void requireAGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  @Override
  double scale() {
    return 0.1;
  }

  @Override
  Stream<DataOptions> rowsForOperators() {
    return Stream.concat(super.rowsForOperators(), Stream.of(DataOptions.atScale(scale())));
  }

  @Override
  void onTheDevice(Consumer<DeviceRuntime> operation) {
    try (DeviceRuntime device = DeviceRuntime.open(0)) {
      operation.accept(device);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }
}

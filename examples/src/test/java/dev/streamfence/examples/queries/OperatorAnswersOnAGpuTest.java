package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** With more rows, where DuckDB is on the class path. */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperatorAnswersOnAGpuTest extends OperatorAnswerCases {
  @Override
  double scale() {
    return 0.1;
  }

  @Override
  void assumeItCanRun() {
    assumeTrue(hasDuckDb(), "DuckDB is not on the class path; DUCKDB_JAR puts it there");
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
  }

  private static boolean hasDuckDb() {
    return OperatorAnswersOnAGpuTest.class
            .getClassLoader()
            .getResource("org/duckdb/DuckDBDriver.class")
        != null;
  }

  @Override
  Stream<DataOptions> rows() {
    return Stream.concat(super.rows(), Stream.of(DataOptions.atScale(scale())));
  }

  @Override
  void onTheDevice(Consumer<DeviceRuntime> operation) {
    try (DeviceRuntime device = DeviceRuntime.open(0)) {
      operation.accept(device);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }
}

package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceHealth;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kernels that run for long. */
@Tag("gpu")
final class WatchdogOnAGpuTest {
  private static final Duration LIMIT = Duration.ofMillis(50);

  @Test
  void aKernelThatRunsForLongIsReportedByName() throws InterruptedException {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    try (DeviceRuntime gpu = DeviceRuntime.open(0, RuntimeOptions.defaults().withWatchdog(LIMIT));
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[1])) {
      assertThat(gpu.health().isHealthy()).isTrue();
      SuiteKernelsLauncher.on(stream).incrementSlowly(values, 1, 400_000_000);
      DeviceHealth health = gpu.health();
      for (int i = 0; i < 1000 && health.isHealthy() && !stream.isIdle(); i++) {
        Thread.sleep(5);
        health = gpu.health();
      }
      assertThat(health.state()).isEqualTo(DeviceHealth.State.OVERDUE);
      assertThat(health.overdue().get(0).work()).startsWith("incrementSlowly on stream 1");
      assertThat(health.overdue().get(0).running()).isGreaterThan(LIMIT);
      stream.synchronize();
      assertThat(gpu.health().isHealthy()).isTrue();
    }
  }
}

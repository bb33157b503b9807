package dev.streamfence.examples.e08_metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.examples.e03_test_without_gpu.Clamp;
import dev.streamfence.simulation.SimulatedDevice;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class RuntimeMetersTest {
  @Test
  void metersShowWhatTheRuntimeDid() {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(),
                RuntimeOptions.defaults().withDeviceTimes(true));
        DeviceStream stream = gpu.streams().acquire()) {
      RuntimeMeters meters = new RuntimeMeters(gpu);
      meters.bindTo(registry);
      try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[100], "values")) {
        new Clamp(stream, 0, 1).apply(values);
        gpu.synchronize();
        meters.publish(registry);

        assertThat(registry.get("streamfence.launches").functionCounter().count()).isEqualTo(1);
        assertThat(
                registry
                    .get("streamfence.transferred")
                    .tag("direction", "up")
                    .functionCounter()
                    .count())
            .isEqualTo(400);
        assertThat(registry.get("streamfence.memory").tag("state", "live").gauge().value())
            .isEqualTo(400);
        assertThat(registry.get("streamfence.memory.spills").functionCounter().count()).isZero();
        assertThat(registry.get("streamfence.memory.tag").tag("tag", "values").gauge().value())
            .isEqualTo(400);
        assertThat(
                registry
                    .get("streamfence.kernel.seconds")
                    .tag("kernel", "ClampKernels.clamp")
                    .gauge()
                    .value())
            .isPositive();
        assertThat(
                registry
                    .get("streamfence.stream.pending")
                    .tag("stream", "stream 1")
                    .gauge()
                    .value())
            .isZero();
        assertThat(
                registry.get("streamfence.driver.objects").tag("kind", "modules").gauge().value())
            .isEqualTo(1);
      }
      assertThat(registry.get("streamfence.memory").tag("state", "live").gauge().value()).isZero();
    }
  }

  @Test
  void runtimesOnDevicesOfOneModelHaveMetersOfTheirOwn() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (DeviceRuntime one = DeviceRuntime.simulated();
        DeviceRuntime other = DeviceRuntime.simulated()) {
      new RuntimeMeters(one).bindTo(registry);
      new RuntimeMeters(other).bindTo(registry);
      assertThat(registry.get("streamfence.launches").functionCounters()).hasSize(2);
    }
  }
}

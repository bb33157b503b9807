package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

/** The memory to plan with for streams, which nothing enforces. */
final class PlannedMemoryTest {
  private static final long MIB = 1L << 20;

  private static long planned(RuntimeOptions options, int operators, int streams) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), options)) {
      return gpu.streams().plannedBytes(operators, streams);
    }
  }

  @Test
  void itIsAQuarterOfAGibibytePerStreamUnlessTheOptionsSayOtherwise() {
    RuntimeOptions defaults = RuntimeOptions.defaults();
    assertThat(defaults.plannedBytesPerStream()).isEqualTo(256 * MIB);
    assertThat(planned(defaults, 4, 4)).isEqualTo(4096 * MIB);
    RuntimeOptions half = defaults.withPlannedBytesPerStream(128 * MIB);
    assertThat(planned(half, 1, 1)).isEqualTo(128 * MIB);
    assertThat(planned(half, 3, 2)).isEqualTo(768 * MIB);
    assertThat(planned(half, 0, 4)).isZero();
  }

  @Test
  void aPlanThatNoLongCountsIsTheLargestLong() {
    RuntimeOptions options = RuntimeOptions.defaults().withPlannedBytesPerStream(Long.MAX_VALUE);
    assertThat(planned(options, 1, 1)).isEqualTo(Long.MAX_VALUE);
    assertThat(planned(options, 1, 2)).isEqualTo(Long.MAX_VALUE);
    assertThat(planned(options, Integer.MAX_VALUE, Integer.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(planned(options, 0, Integer.MAX_VALUE)).isZero();
  }

  @Test
  void itLimitsNothing() {
    RuntimeOptions tiny = RuntimeOptions.defaults().withPlannedBytesPerStream(1);
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), tiny)) {
      gpu.memory().upload(gpu.streams().acquire(), new byte[4096]).close();
      assertThat(gpu.streams().plannedBytes(1, 1)).isEqualTo(1);
    }
  }

  @Test
  void numbersThatCountNothingAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withPlannedBytesPerStream(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> planned(RuntimeOptions.defaults(), -1, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> planned(RuntimeOptions.defaults(), 1, -1));
  }
}

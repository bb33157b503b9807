package dev.streamfence.examples.e10_graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

class CompoundInterestTest {
  private static final int YEARS = 100;

  private final SimulatedDevice device =
      SimulatedDevice.builder().schedule(Schedule.RANDOM).seed(5).build();

  @Test
  void interestIsAddedYearAfterYearByOneDriverCallEach() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      float[][] after = CompoundInterest.balances(gpu, new float[] {100, 200}, YEARS);

      assertThat(after[0][1]).isCloseTo((float) (200 * Math.pow(1.001, YEARS)), within(0.01f));
      assertThat(after[1][0]).isCloseTo((float) (100 * Math.pow(1.002, YEARS)), within(0.01f));
      assertThat(device.calls(DriverCall.LAUNCH_GRAPH)).isEqualTo(YEARS);
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    }
  }
}

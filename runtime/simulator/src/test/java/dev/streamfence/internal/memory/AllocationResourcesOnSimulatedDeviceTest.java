package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;

/** The contract under the schedule that runs everything as late as possible. */
final class AllocationResourcesOnSimulatedDeviceTest extends AllocationResourceContract {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  @Override
  protected CudaDriver openDriver() {
    return Inside.open(device);
  }

  @Override
  protected void requireNothingLeft() {
    assertThat(device.liveObjects()).isZero();
  }
}

package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import dev.streamfence.internal.driver.jcuda.StandIn;
import java.util.List;

/** The contract through JCuda's real native library, on a driver that does everything at once. */
final class AllocationResourcesOverStandInTest extends AllocationResourceContract {
  private final StandIn standIn = StandIn.loaded();
  private final List<Long> before = standIn.live();

  @Override
  protected CudaDriver openDriver() {
    return JCudaDevices.open(0);
  }

  @Override
  protected void requireNothingLeft() {
    assertThat(standIn.live()).isEqualTo(before);
    assertThat(standIn.wrongContexts()).isZero();
  }
}

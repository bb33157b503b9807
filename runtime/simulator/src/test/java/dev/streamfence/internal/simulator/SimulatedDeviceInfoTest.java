package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** The facts of a simulated device, and the settings behind them. */
final class SimulatedDeviceInfoTest {
  private static DeviceInfo infoOf(SimulatedDevice.Builder builder) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(builder.build())) {
      return gpu.info();
    }
  }

  @Test
  void aDeviceOfOtherCodeIsRefused() {
    SimulatedDevice other =
        (SimulatedDevice)
            Proxy.newProxyInstance(
                SimulatedDevice.class.getClassLoader(),
                new Class<?>[] {SimulatedDevice.class},
                (proxy, method, arguments) -> "a device of mine");
    assertThatThrownBy(() -> DeviceRuntime.simulated(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a device of mine was not made by SimulatedDevice.builder()");
  }

  @Test
  void theDefaultsAreConsistent() {
    DeviceInfo info = infoOf(SimulatedDevice.builder());

    assertThat(info)
        .hasToString(
            "simulated device (device 0, compute capability 9.0, 1 multiprocessor, 2048 MiB)");
    assertThat(info.maxThreadsPerMultiprocessor() % info.warpSize()).isZero();
    assertThat(info.maxThreadsPerMultiprocessor()).isGreaterThan(info.maxThreadsPerBlock());
    assertThat(info.sharedBytesPerBlockOptIn() + info.reservedSharedBytesPerBlock())
        .isEqualTo(info.sharedBytesPerMultiprocessor());
    assertThat(info.sharedBytesPerBlock()).isLessThan(info.sharedBytesPerBlockOptIn());
    assertThat(info.registersPerBlock()).isEqualTo(info.registersPerMultiprocessor());
    assertThat(info.hasMemoryPools()).isTrue();
    assertThat(info.supportsCooperativeLaunches()).isTrue();
    assertThat(info.isIntegrated()).isFalse();
    assertThat(info.pciBusId()).isEmpty();
    assertThat(info.uuid()).isEqualTo(infoOf(SimulatedDevice.builder()).uuid());
  }

  @Test
  void theBuilderSetsTheLimitsOfAMultiprocessor() {
    DeviceInfo info =
        infoOf(
            SimulatedDevice.builder()
                .computeCapability(8, 6)
                .memoryInBytes(1 << 30)
                .multiprocessors(84)
                .threadsPerMultiprocessor(1536)
                .blocksPerMultiprocessor(16)
                .sharedBytesPerMultiprocessor(100 << 10));

    assertThat(info.computeMajor()).isEqualTo(8);
    assertThat(info.computeMinor()).isEqualTo(6);
    assertThat(info.totalMemoryInBytes()).isEqualTo(1 << 30);
    assertThat(info.multiprocessors()).isEqualTo(84);
    assertThat(info.maxThreadsPerMultiprocessor()).isEqualTo(1536);
    assertThat(info.maxBlocksPerMultiprocessor()).isEqualTo(16);
    assertThat(info.sharedBytesPerMultiprocessor()).isEqualTo(100 << 10);
    assertThat(info.sharedBytesPerBlockOptIn()).isEqualTo(99 << 10);
  }

  @Test
  void aMultiprocessorThatHoldsNoBlockIsRefusedWithTheNumbers() {
    SimulatedDevice.Builder builder = SimulatedDevice.builder();

    assertThatThrownBy(() -> builder.threadsPerMultiprocessor(992))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("992 threads per multiprocessor; it holds a block of 1024");
    assertThatThrownBy(() -> builder.threadsPerMultiprocessor(1025))
        .hasMessageContaining("whole warps of 32");
    assertThatThrownBy(() -> builder.blocksPerMultiprocessor(0))
        .hasMessage("0 blocks per multiprocessor; it holds at least 1");
    assertThatThrownBy(() -> builder.sharedBytesPerMultiprocessor(48 << 10))
        .hasMessageStartingWith("49152 bytes of shared memory per multiprocessor");
  }
}

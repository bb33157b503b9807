package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.AllocationLog;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.MemoryBudget;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RuntimeOptionsTest {
  @Test
  void aRuntimeLendsSixteenStreamsByDefault() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      assertThat(gpu.streams().capacity()).isEqualTo(16);
      for (int i = 0; i < 16; i++) {
        gpu.streams().acquire();
      }
      assertThatThrownBy(() -> gpu.streams().acquire())
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("16 streams");
      assertThat(gpu.streams().defaultStream().id()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void lessThanOneStreamIsRefused(int streams) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withStreams(streams))
        .withMessageContaining(streams + " streams");
  }

  @Test
  void moreStreamsThanAPoolHasAreRefusedAndTheDeviceIsReleased() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> DeviceRuntime.simulated(device, RuntimeOptions.defaults().withStreams(1025)));
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aPoolThatRefusesItsThresholdIsReportedAndTheDeviceIsReleased() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    device.failCall(DriverCall.KEEP_FREED_MEMORY, 1, 1);
    assertThatThrownBy(() -> DeviceRuntime.simulated(device))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.call()).isEqualTo("cuMemPoolSetAttribute");
              assertThat(e.purpose()).contains("opening");
            });
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aNegativeThresholdIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withPoolReleaseThresholdInBytes(-1));
  }

  @Test
  void atLeastOneThreadStages() {
    assertThat(RuntimeOptions.defaults().stagingThreads()).isBetween(1, 4);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withStagingThreads(0))
        .withMessage("0 staging threads; a transfer has at least 1");
  }

  @Test
  void eachOptionChangesNoOther() {
    RuntimeOptions all =
        RuntimeOptions.defaults()
            .withStreams(3)
            .withTraceAllocations(true)
            .withMemoryBudget(MemoryBudget.ofBytes(7))
            .withAllocationLog(AllocationLog.inMemory())
            .withGuardMemory(true)
            .withDirectMemory(true)
            .withSynchronousLaunches(true)
            .withPoolReleaseThresholdInBytes(5)
            .withUncheckedBinaries(true)
            .withKernelFolders(Path.of("kernels"))
            .withAbandonedLaunchTimeout(Duration.ofSeconds(3))
            .withStagingThreads(9)
            .withBoundsChecks(false)
            .withPlannedBytesPerStream(11)
            .withOrderingVisibleToTools(true);
    assertThat(all)
        .isEqualTo(
            new RuntimeOptions(
                3,
                true,
                MemoryBudget.ofBytes(7),
                all.allocationLog(),
                true,
                true,
                true,
                5,
                true,
                List.of(Path.of("kernels")),
                Duration.ofSeconds(3),
                9,
                false,
                11,
                true));
    assertThat(RuntimeOptions.defaults().withStreams(3).withStreams(16))
        .isEqualTo(RuntimeOptions.defaults());
  }
}

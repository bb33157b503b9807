package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
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
      assertThatThrownBy(() -> gpu.streams().acquire()).satisfies(misuse(Misuse.NO_STREAM_LEFT));
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
    assertThat(RuntimeOptions.defaults().stagingThreads()).isBetween(1, 8);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withStagingThreads(0))
        .withMessage("0 staging threads; a transfer has at least 1");
  }

  @Test
  void eachOptionChangesNoOther() {
    AllocationLog log = AllocationLog.inMemory();
    UnaryOperator<MemoryResource> resource = upstream -> upstream;
    RuntimeOptions all =
        RuntimeOptions.defaults()
            .withStreams(3)
            .withTraceAllocations(true)
            .withMemoryBudget(MemoryBudget.ofBytes(7))
            .withAllocationLog(log)
            .withGuardMemory(true)
            .withDirectMemory(true)
            .withMemoryResource(resource)
            .withSynchronousLaunches(true)
            .withPoolReleaseThresholdInBytes(5)
            .withUncheckedBinaries(true)
            .withKernelFolders(Path.of("kernels"))
            .withAbandonedLaunchTimeout(Duration.ofSeconds(3))
            .withStagingThreads(9)
            .withBoundsChecks(false)
            .withPlannedBytesPerStream(11)
            .withOrderingVisibleToTools(true);
    assertThat(all.streams()).isEqualTo(3);
    assertThat(all.traceAllocations()).isTrue();
    assertThat(all.memoryBudget()).isEqualTo(MemoryBudget.ofBytes(7));
    assertThat(all.allocationLog()).isSameAs(log);
    assertThat(all.guardMemory()).isTrue();
    assertThat(all.directMemory()).isTrue();
    assertThat(all.memoryResource()).isSameAs(resource);
    assertThat(all.synchronousLaunches()).isTrue();
    assertThat(all.poolReleaseThresholdInBytes()).isEqualTo(5);
    assertThat(all.uncheckedBinaries()).isTrue();
    assertThat(all.kernelFolders()).containsExactly(Path.of("kernels"));
    assertThat(all.abandonedLaunchTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(all.stagingThreads()).isEqualTo(9);
    assertThat(all.boundsChecks()).isFalse();
    assertThat(all.plannedBytesPerStream()).isEqualTo(11);
    assertThat(all.orderingVisibleToTools()).isTrue();
    assertThat(RuntimeOptions.defaults().streams()).isEqualTo(16);
  }
}

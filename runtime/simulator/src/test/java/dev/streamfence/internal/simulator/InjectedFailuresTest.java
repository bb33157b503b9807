package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

/** A failure that was injected and has not happened is told. */
final class InjectedFailuresTest {
  private static final int INVALID_VALUE = 1;
  private static final int ILLEGAL_ADDRESS = 700;

  private final SimulatedDevice device = SimulatedDevice.builder().build();

  @Test
  void aSuccessIsNoFailure() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    assertThatIllegalArgumentException().isThrownBy(() -> device.failCall(1, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> device.failCall(DriverCall.ALLOCATE, 1, 0))
        .withMessageContaining("a success");
    assertThat(device.pendingFailures()).isEmpty();
  }

  @Test
  void aFailureIsPendingUntilACallMeetsIt() {
    device.failCall(DriverCall.CREATE_STREAM, 2, INVALID_VALUE);
    device.failCall(5, ILLEGAL_ADDRESS);
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      long calls = device.calls();
      gpu.streams().acquire();
      assertThat(device.calls()).isEqualTo(calls + 1);
      assertThat(device.pendingFailures())
          .containsExactly(
              "call 1 of cuStreamCreateWithPriority from now: CUDA_ERROR_INVALID_VALUE (1)",
              "call " + (4 - calls) + " of any kind from now: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
      assertThatThrownBy(() -> gpu.streams().acquire()).isInstanceOf(CudaDriverException.class);
      assertThat(device.pendingFailures())
          .containsExactly(
              "call " + (3 - calls) + " of any kind from now: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
      DeviceStream another = gpu.streams().acquire();
      assertThatThrownBy(another::synchronize).isInstanceOf(CudaDriverException.class);
      assertThat(device.pendingFailures()).isEmpty();
    }
  }

  @Test
  void theCloseOfTheRuntimeLogsWhatHasNotHappened() {
    device.failCall(DriverCall.LAUNCH_KERNEL, 3, ILLEGAL_ADDRESS);
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.SIMULATION)) {
      DeviceRuntime.simulated(device).close();
      assertThat(log.messages())
          .containsExactly(
              device
                  + " is closed, and injected failures have not happened: call 3 of cuLaunchKernel"
                  + " from now: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    }
  }

  @Test
  void aCloseAfterEveryFailureHasHappenedLogsNothing() {
    device.failCall(DriverCall.CREATE_STREAM, 1, INVALID_VALUE);
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.SIMULATION)) {
      try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
        assertThatThrownBy(() -> gpu.streams().acquire()).isInstanceOf(CudaDriverException.class);
      }
      assertThat(log.messages()).isEmpty();
    }
  }
}

package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Launches that their thread gives up before the kernel is queued. */
final class AbortedLaunchTest extends OneStream {
  private final LaunchRecorder increment =
      LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);

  @Test
  void anAbortAfterPreflightIsNoAbandonedLaunch() {
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.LAUNCHES);
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      increment.begin().array(values).threads(1).preflight().abort();
      assertThat(gpu.statistics().abandonedLaunches()).isZero();
      assertThat(log.messages()).isEmpty();
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
      assertThat(values.download(stream)).containsExactly(1);
    }
  }

  @Test
  void anAbortBeforePreflightRegistersNothing() {
    DeviceStream other = gpu.streams().acquire();
    try (DeviceArray<int[]> values = gpu.memory().upload(other, new int[] {1})) {
      increment.begin().array(values).threads(1).abort();
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      VectorKernels.on(other).increment(values, 1);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
      assertThat(values.download(other)).containsExactly(2);
    }
  }

  @Test
  void whatWasOrderedBeforeTheAbortedLaunchIsStillWaitedForAfterIt() {
    DeviceStream other = gpu.streams().acquire();
    DeviceStream third = gpu.streams().acquire();
    try (DeviceArray<int[]> values = gpu.memory().upload(other, new int[] {1})) {
      VectorKernels.on(other).increment(values, 1);
      increment.begin().array(values).threads(1).preflight().abort();
      assertThat(values.download(third)).containsExactly(2);
    }
  }

  @Test
  void theStreamIsFreeAfterAnAbort() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
        LaunchRecorder recorder = increment.begin()) {
      recorder.array(values).threads(1).preflight().abort();
      assertThatThrownBy(recorder::launch).isInstanceOf(StreamMisuseException.class);
      kernels.increment(values, 1);
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void aLaunchThatTheDriverHasRefusedCanBeAborted() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      increment.begin().array(values).threads(1).preflight();
      device.failCall(DriverCall.LAUNCH_KERNEL, 1, 1);
      assertThatThrownBy(increment::launch).isInstanceOf(CudaDriverException.class);
      increment.abort();
      assertThat(values.download(stream)).containsExactly(1);
    }
  }

  @Test
  void aQueuedKernelIsNotAborted() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      try (LaunchRecorder recorder = increment.begin()) {
        recorder.array(values).threads(1).preflight().launch();
        assertThatThrownBy(recorder::abort)
            .isInstanceOfSatisfying(
                StreamMisuseException.class,
                e ->
                    assertThat(List.of(e.kind(), e.kernel()))
                        .containsExactly(StreamMisuseException.Misuse.WRONG_STEP, "increment"));
        recorder.commit();
        assertThatThrownBy(recorder::abort).isInstanceOf(StreamMisuseException.class);
      }
      assertThat(values.download(stream)).containsExactly(2);
      assertThat(gpu.statistics().abandonedLaunches()).isZero();
    }
  }

  @Test
  void anArrayThatIsClosedMeanwhileIsFreedByTheAbort() {
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
    increment.begin().array(values).threads(1).preflight();
    values.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    increment.abort();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }
}

package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import org.junit.jupiter.api.Test;

/** The order of a launch's steps, and launches that end before the last. */
final class LaunchOrderTest extends OneStream {
  @Test
  void stepsInTheWrongOrderAreRefused() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    assertThatThrownBy(recorder::preflight).isInstanceOf(StreamMisuseException.class);
    try (recorder;
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin();
      assertThatThrownBy(recorder::begin).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::launch).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.array(values).threads(1).preflight();
      assertThatThrownBy(() -> recorder.array(values)).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::preflight).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.launch().commit();
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.close();
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void aClosedStreamIsRefused() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      stream.close();
      assertThatThrownBy(() -> kernels.increment(values, 1))
          .isInstanceOf(StreamMisuseException.class);
    }
  }

  @Test
  void aLateArgumentIsRefusedAndTheLaunchStaysProtected() {
    DeviceStream other = gpu.streams().acquire();
    VectorKernels onOther = VectorKernels.on(other);
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
        DeviceArray<int[]> late = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values).threads(1).preflight();
      assertThatThrownBy(() -> recorder.array(late)).isInstanceOf(StreamMisuseException.class);
      recorder.launch().commit();
      recorder.close();
      long before = device.calls(DriverCall.WAIT_FOR_EVENT);
      onOther.increment(values, 1);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT) - before).isEqualTo(1);
      assertThat(values.download(other)).containsExactly(3);
    }
  }

  @Test
  void aLaunchThatIsNeverCommittedIsStillOrdered() {
    DeviceStream other = gpu.streams().acquire();
    VectorKernels onOther = VectorKernels.on(other);
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
    LaunchRecorder increment =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (LaunchRecorder recorder = increment.begin()) {
      recorder.array(values).threads(1).preflight().launch();
    }
    long before = device.calls(DriverCall.WAIT_FOR_EVENT);
    onOther.increment(values, 1);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT) - before).isEqualTo(1);
    assertThat(values.download(other)).containsExactly(3);
    values.close();
  }

  @Test
  void anAbandonedLaunchLeavesTheStreamAndTheArrayUsable() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values).threads(1).preflight();
      recorder.close();
      assertThat(gpu.statistics().abandonedLaunches()).isEqualTo(1);
      VectorKernels.on(gpu.streams().acquire()).increment(values, 1);
      assertThat(gpu.statistics().abandonedLaunches()).isEqualTo(1);
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void anAbandonedLaunchIsLoggedWithItsKernelAndStream() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.LAUNCHES);
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      recorder.begin().array(values).threads(1).preflight();
      recorder.close();
      assertThat(log.messages()).singleElement().asString().contains("increment on stream 1");
    }
  }
}

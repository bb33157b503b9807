package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

/** The arrays that a permissive recorder takes, and those of them that it orders. */
final class PermissiveRecorderTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  private static LaunchRecorder permissive(DeviceStream stream) {
    return LoadedModule.of(stream, VectorKernels.IMAGE).permissiveRecorder(VectorKernels.INCREMENT);
  }

  private static void increment(LaunchRecorder recorder, DeviceArray<int[]> values) {
    try (LaunchRecorder open = recorder.begin()) {
      open.array(values).threads(1).preflight().launch().commit();
    }
  }

  @Test
  void aTrackedArrayIsOrderedAsByAStrictRecorder() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      DeviceStream other = gpu.streams().acquire();
      DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
      increment(permissive(stream), values);
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      increment(permissive(other), values);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
      assertThat(values.download(stream)).containsExactly(3);
      values.close();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void anUntrackedArrayIsTakenAndItsOrderLeftToTheCaller() {
    try (DeviceRuntime gpu = RuntimeOverDriver.openUntracked(Inside.open(device))) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder recorder = permissive(stream);
      DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 1);
      increment(recorder, values);
      increment(permissive(gpu.streams().acquire()), values);
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(2);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
      gpu.synchronize();
      values.close();
      try (LaunchRecorder open = recorder.begin()) {
        assertThatThrownBy(() -> open.array(values))
            .isInstanceOf(UseAfterFreeException.class)
            .hasMessageContaining("increment: parameter 'values'");
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aStrictRecorderRefusesAnUntrackedArray() {
    try (DeviceRuntime gpu = RuntimeOverDriver.openUntracked(Inside.open(device))) {
      DeviceStream stream = gpu.streams().acquire();
      try (DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 1);
          LaunchRecorder open = VectorKernels.incrementOn(stream).begin()) {
        assertThatThrownBy(() -> open.array(values))
            .isInstanceOf(StreamMisuseException.class)
            .hasMessageContaining("increment: parameter 'values'")
            .hasMessageContaining("does not track");
      }
    }
    assertThat(device.liveObjects()).isZero();
  }
}

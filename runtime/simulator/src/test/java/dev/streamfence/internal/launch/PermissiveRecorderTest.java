package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
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
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
  void nothingUntrackedIsTakenInAGraph() {
    try (DeviceRuntime gpu = RuntimeOverDriver.openUntracked(Inside.open(device))) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder recorder = permissive(stream);
      DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 1);
      gpu.graph(
          "untracked",
          body -> {
            assertUntracked(() -> increment(recorder, values));
            assertUntracked(
                () -> {
                  try (LaunchRecorder open = recorder.begin()) {
                    open.untracked(0).threads(1).preflight().launch().commit();
                  }
                });
          });
      values.close();
    }
  }

  private static void assertUntracked(ThrowingCallable launch) {
    assertThatThrownBy(launch)
        .isInstanceOfSatisfying(
            StreamMisuseException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(StreamMisuseException.Misuse.UNTRACKED);
              assertThat(e.parameter()).isEqualTo("values");
            });
  }

  @Test
  void anUntrackedArrayIsTakenAndItsOrderLeftToTheCaller() {
    // The caller leaves it out.
    device.collectFindings();
    try (DeviceRuntime gpu = RuntimeOverDriver.openUntracked(Inside.open(device))) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder recorder = permissive(stream);
      DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 1);
      increment(recorder, values);
      increment(permissive(gpu.streams().acquire()), values);
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(2);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
      gpu.synchronize();
      try (LaunchRecorder open = recorder.begin()) {
        assertThat(open.array(values).recordedUses()).isZero();
      }
      values.close();
      try (LaunchRecorder open = recorder.begin()) {
        assertRefused(
            () -> open.array(values), UseAfterFreeException.Ending.CLOSED, "increment", "values");
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
        assertRefused(
            () -> open.array(values),
            StreamMisuseException.Misuse.UNTRACKED,
            "increment",
            "values");
      }
    }
    assertThat(device.liveObjects()).isZero();
  }
}

package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** On the simulated device, what a GPU shows by wrong data or by the end of a process. */
final class StandInsForAGpuTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  @Test
  void aRuntimeClosesAfterAFault() {
    // The check of bounds would refuse the launch.
    DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withBoundsChecks(false));
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[128]);
    VectorKernels.on(stream).overrun(values, 128);
    assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> values.download(stream)).isInstanceOf(CudaDriverException.class);
    values.close();
    gpu.close();
    assertThat(gpu.isOpen()).isFalse();
    assertThatThrownBy(() -> values.download(stream)).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void aReaderWithoutTrackingIsFoundToReadFreedMemory() {
    assertThat(findings(false)).contains(RacyAccessException.Kind.FREE_WHILE_IN_USE);
  }

  @Test
  void theSameReaderIsOrderedIfItIsTracked() {
    assertThat(findings(true)).isEmpty();
  }

  /** Reads an array on one stream while its owner closes it on another. */
  private List<RacyAccessException.Kind> findings(boolean isTracked) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream owner = gpu.streams().acquire();
      DeviceStream reading = gpu.streams().acquire();
      device.collectFindings();
      try (DeviceArray<int[]> sum = gpu.memory().allocateZeroed(reading, int[].class, 1)) {
        DeviceArray<int[]> values = gpu.memory().upload(owner, new int[] {1});
        owner.synchronize();
        LaunchRecorder add =
            LoadedModule.of(reading, VectorKernels.IMAGE).permissiveRecorder(VectorKernels.ADD);
        try (LaunchRecorder open = add.begin()) {
          if (isTracked) {
            open.array(values).array(values);
          } else {
            long address = Inside.allocation(values).address();
            open.untracked(address).untracked(address);
          }
          open.array(sum).threads(1).preflight().launch().commit();
        }
        values.close();
        return device.findings().stream().map(RacyAccessException.Finding::kind).toList();
      }
    }
  }
}

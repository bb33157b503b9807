package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Launches whose blocks run at the same time. */
final class CooperativeLaunchTest {
  private static final KernelSignature INCREMENT =
      KernelSignature.entry("increment")
          .readWrites("values", int[].class)
          .threads("n", int.class, 4)
          .cooperative();

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 8);

  @AfterEach
  void close() {
    values.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void increment(int n) {
    try (LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(INCREMENT).begin()) {
      recorder.array(values).threads(n).preflight().launch().commit();
    }
  }

  @Test
  void aCooperativeKernelHasItsOwnDriverCall() {
    increment(4);
    assertThat(device.calls(DriverCall.LAUNCH_COOPERATIVE_KERNEL)).isEqualTo(1);
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    assertThat(gpu.statistics().launches()).isEqualTo(1);
    assertThat(values.download(stream)).containsExactly(1, 1, 1, 1, 0, 0, 0, 0);
  }

  @Test
  void moreBlocksThanTheDeviceHoldsAtOnceAreRefusedBeforeTheLaunchWithBothNumbers() {
    assertThatThrownBy(() -> increment(4 * 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "increment: 33 blocks that run at the same time; the kernel on simulated device allows"
                + " 32");
    assertThat(device.calls(DriverCall.LAUNCH_COOPERATIVE_KERNEL)).isZero();
    increment(4);
    assertThat(values.download(stream)).startsWith(1, 1, 1, 1, 0);
  }

  @Test
  void theOccupancyIsQueriedOnce() {
    increment(4);
    increment(8);
    assertThat(device.calls(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR)).isEqualTo(1);
    assertThat(device.calls(DriverCall.LAUNCH_COOPERATIVE_KERNEL)).isEqualTo(2);
  }

  @Test
  void aFailedQueryOfTheOccupancyNamesTheKernel() {
    device.failCall(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR, 1, 1);
    assertThatThrownBy(() -> increment(4))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.purpose()).contains("increment"));
    increment(4);
    assertThat(values.download(stream)).startsWith(1, 1, 1, 1, 0);
  }
}

package dev.streamfence.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Access;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Launches whose blocks run at the same time. */
final class CooperativeLaunchTest {
  private static final KernelSignature INCREMENT =
      KernelSignature.entry("increment")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .blockSize(4)
          .cooperative()
          .build();

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
      recorder.readWrites(0, values);
      recorder.value(1, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Test
  void itIsLaunchedByACallOfItsOwn() {
    increment(4);
    assertThat(device.calls(DriverCall.LAUNCH_COOPERATIVE_KERNEL)).isEqualTo(1);
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    assertThat(gpu.statistics().launches()).isEqualTo(1);
    assertThat(values.download(stream)).containsExactly(1, 1, 1, 1, 0, 0, 0, 0);
  }

  @Test
  void moreBlocksThanTheDeviceHoldsAtOnceAreRefusedByName() {
    assertThatThrownBy(() -> increment(8))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.codeName()).isEqualTo("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
              assertThat(e.purpose()).contains("increment on stream 1");
            });
    increment(4);
    assertThat(values.download(stream)).startsWith(1, 1, 1, 1, 0);
  }
}

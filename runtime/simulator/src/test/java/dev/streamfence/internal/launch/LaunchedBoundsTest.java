package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import org.junit.jupiter.api.Test;

/** Bounds of kernels that are loaded by hand. */
final class LaunchedBoundsTest {
  @Test
  void theBoundsOfAKernelAreFoundAtItsFirstLaunch() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder recorder =
          LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.SAXPY);
      LoadedKernel kernel =
          KernelModules.of(Inside.of(gpu))
              .load(VectorKernels.IMAGE, Inside.timeline(stream))
              .kernel(VectorKernels.SAXPY);
      assertThat(kernel.areBoundsKnown()).isFalse();
      DeviceArray<float[]> x = gpu.memory().upload(stream, new float[4]);
      DeviceArray<float[]> y = gpu.memory().upload(stream, new float[4]);
      try (LaunchRecorder open = recorder.begin()) {
        open.value(2f).array(x).array(y).threads(4).preflight().launch().commit();
      }
      assertThat(kernel.areBoundsKnown()).isTrue();
    }
  }
}

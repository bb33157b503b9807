package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An argument counts for one launch and one parameter. */
final class RecorderReuseTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1, 2, 3, 4});
  private final DeviceArray<float[]> y = gpu.memory().upload(stream, new float[N]);
  private final LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
  private final LaunchRecorder saxpy = module.recorder(VectorKernels.SAXPY);

  @AfterEach
  void close() {
    x.close();
    y.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void passAll(LaunchRecorder open) {
    open.value(2f).array(x).array(y).threads(N);
  }

  private static void finish(LaunchRecorder open) {
    open.preflight().launch().commit();
  }

  @Test
  void argumentsOfOneLaunchDoNotCountForTheNext() {
    try (LaunchRecorder open = saxpy.begin()) {
      passAll(open);
      finish(open);
    }
    try (LaunchRecorder open = saxpy.begin()) {
      assertRefused(open::preflight, KernelArgumentException.Mistake.MISSING, "saxpy", "a");
    }
  }

  @Test
  void theShapeOfOneLaunchDoesNotCountForTheNext() {
    try (LaunchRecorder open = saxpy.begin()) {
      passAll(open);
      finish(open);
    }
    try (LaunchRecorder open = saxpy.begin()) {
      open.value(2f).array(x).array(y);
      assertRefused(open::preflight, KernelArgumentException.Mistake.MISSING, "saxpy", "n");
    }
  }

  @Test
  void anArgumentThatIsRefusedLeavesTheOthersAsTheyAre() {
    try (LaunchRecorder open = saxpy.begin()) {
      open.value(2f).array(x);
      assertRefused(() -> open.value(3f), KernelArgumentException.Mistake.UNEXPECTED, "saxpy", "y");
      open.array(y).threads(N);
      assertRefused(() -> open.array(x), KernelArgumentException.Mistake.UNEXPECTED, "saxpy", "n");
      finish(open);
    }
    assertThat(y.download(stream)).containsExactly(2, 4, 6, 8);
  }

  @Test
  void anUntrackedAddressForOneParameterLeavesItsArrayToAnother() {
    LaunchRecorder permissive = module.permissiveRecorder(VectorKernels.SAXPY);
    try (LaunchRecorder open = permissive.begin()) {
      passAll(open);
      finish(open);
    }
    try (LaunchRecorder open = permissive.begin()) {
      open.value(2f).untracked(Inside.allocation(y).address()).array(x).threads(N);
      finish(open);
    }
    assertThat(x.download(stream)).containsExactly(5, 10, 15, 20);
  }
}

package dev.streamfence.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is passed to a recorder counts for one launch, and may be passed anew before preflight. */
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
    open.value(0, 2f);
    open.reads(1, x);
    open.readWrites(2, y);
    open.value(3, N);
    open.threads(N);
  }

  private static void finish(LaunchRecorder open) {
    open.preflight();
    open.launch();
    open.commit();
  }

  @Test
  void nothingThatWasPassedToOneLaunchCountsForTheNext() {
    try (LaunchRecorder open = saxpy.begin()) {
      passAll(open);
      finish(open);
    }
    try (LaunchRecorder open = saxpy.begin()) {
      open.threads(N);
      assertThatThrownBy(open::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("saxpy: parameter 'a' was not passed");
    }
  }

  @Test
  void neitherDoesItsShape() {
    try (LaunchRecorder open = saxpy.begin()) {
      passAll(open);
      finish(open);
    }
    try (LaunchRecorder open = saxpy.begin()) {
      open.value(0, 2f);
      open.reads(1, x);
      open.readWrites(2, y);
      open.value(3, N);
      assertThatThrownBy(open::preflight)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("saxpy: neither threads nor a shape was passed");
    }
  }

  @Test
  void anArrayMayBePassedTwiceForOneParameter() {
    try (LaunchRecorder open = saxpy.begin()) {
      passAll(open);
      open.readWrites(2, y);
      finish(open);
    }
    assertThat(y.download(stream)).containsExactly(2, 4, 6, 8);
  }

  @Test
  void anAddressInThePlaceOfAnArrayFreesTheArrayForAnotherParameter() {
    LaunchRecorder permissive = module.permissiveRecorder(VectorKernels.SAXPY);
    try (LaunchRecorder open = permissive.begin()) {
      open.value(0, 2f);
      open.reads(1, y);
      open.untracked(1, Inside.block(x).address());
      open.readWrites(2, y);
      open.value(3, N);
      open.threads(N);
      finish(open);
    }
    assertThat(y.download(stream)).containsExactly(2, 4, 6, 8);
  }
}

package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that demand blocks of one shape by {@code .reqntid}. */
final class RequiredBlockTest {
  private static final byte[] PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry tile() .reqntid 16, 4 { ret; }
      .visible .entry line() .reqntid 32 { ret; }
      .visible .entry most() .maxntid 64 { ret; }
      """
          .getBytes(US_ASCII);

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** An image that the compiler has compared, or one that it has not. */
  private static KernelImage image(boolean isCompared) {
    String hash = isCompared ? KernelImage.sha256(PTX) : "0".repeat(64);
    return KernelImage.resource("blocks.ptx", hash, name -> new ByteArrayInputStream(PTX));
  }

  private void launch(boolean isCompared, String entry, LaunchShape shape) {
    KernelSignature signature = KernelSignature.entry(entry).shape("shape");
    LoadedModule module = LoadedModule.of(stream, image(isCompared));
    try (LaunchRecorder recorder = module.recorder(signature).begin()) {
      recorder.shape(shape).preflight().launch().commit();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherShapeIsRefusedBeforeTheLaunchWithBothShapes(boolean isCompared) {
    assertThatThrownBy(() -> launch(isCompared, "tile", LaunchShape.of(2, 64)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "tile: blocks of 64 x 1 x 1 threads; the kernel on simulated device allows exactly 16"
                + " x 4 x 1");
    assertThatThrownBy(() -> launch(isCompared, "line", LaunchShape.of(2, 16)))
        .hasMessageContaining("16 x 1 x 1")
        .hasMessageContaining("exactly 32 x 1 x 1");
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    launch(isCompared, "tile", new LaunchShape(2, 1, 1, 16, 4, 1, 0));
    launch(isCompared, "line", LaunchShape.of(2, 32));
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(2);
  }

  @Test
  void fewerThreadsThanTheMaximumAreAllowed() {
    launch(true, "most", new LaunchShape(1, 1, 1, 4, 4, 2, 0));
    assertThatThrownBy(() -> launch(true, "most", LaunchShape.of(1, 65)))
        .hasMessageContaining("65 threads per block")
        .hasMessageContaining("allows 64");
  }

  @Test
  void theShapeIsCheckedBeforeEveryLaunch() {
    launch(true, "line", LaunchShape.of(2, 32));
    assertThatThrownBy(() -> launch(true, "line", LaunchShape.of(2, 64)))
        .hasMessageContaining("exactly 32 x 1 x 1");
    launch(true, "line", LaunchShape.of(2, 32));
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(2);
  }
}

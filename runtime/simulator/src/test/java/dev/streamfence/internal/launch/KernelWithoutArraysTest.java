package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A launch without arrays has nothing to order. */
final class KernelWithoutArraysTest {
  private static final KernelImage IMAGE =
      KernelImage.of(
          "nothing.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry nothing(.param .u32 n) { ret; }
          """
              .getBytes(US_ASCII));

  private static final KernelSignature NOTHING =
      KernelSignature.entry("nothing").threads("n", int.class, 256);

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceStream other = gpu.streams().acquire();
  private final LoadedModule module = LoadedModule.of(stream, IMAGE);

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private LaunchRecorder recorder(boolean strict) {
    return strict ? module.recorder(NOTHING) : module.permissiveRecorder(NOTHING);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itIsLaunchedAndCommittedWithOneDriverCall(boolean strict) {
    LaunchRecorder recorder = recorder(strict);
    long before = device.calls();
    try (recorder) {
      recorder.begin().threads(3).preflight().launch().commit();
    }
    assertThat(device.calls() - before).isEqualTo(1);
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(1);
    assertThat(other.isIdle()).isTrue();
    stream.synchronize();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itStillNeedsItsPreflight(boolean strict) {
    LaunchRecorder recorder = recorder(strict);
    try (recorder) {
      recorder.begin().threads(3);
      assertThatThrownBy(recorder::launch).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
    }
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
  }
}

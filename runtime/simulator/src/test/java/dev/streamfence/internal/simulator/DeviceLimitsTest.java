package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a simulated device just allows, and just refuses. */
final class DeviceLimitsTest {
  private static final int SMALLEST_SHARED_BYTES = (48 << 10) + (1 << 10);

  private static KernelImage image(String variables, String kernel) {
    String text = ".version 7.0\n.target sm_75\n.address_size 64\n" + variables + kernel;
    return KernelImage.of("limits.ptx", text.getBytes(US_ASCII));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 65535, 1, 1, 1, 1",
    "1, 1, 65535, 1, 1, 1",
    "1, 1, 1, 1, 1, 64",
    "1, 1, 1, 1024, 1, 1"
  })
  void aLaunchOfTheLargestShapeRuns(int x, int y, int z, int blockX, int blockY, int blockZ) {
    KernelImage image = image("", ".visible .entry nothing() { ret; }");
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        LaunchRecorder recorder =
            LoadedModule.of(stream, image)
                .recorder(KernelSignature.entry("nothing").shape("shape"))
                .begin()) {
      recorder.shape(new LaunchShape(x, y, z, blockX, blockY, blockZ, 0));
      recorder.preflight().launch().commit();
      stream.synchronize();
      assertThat(gpu.statistics().launches()).isEqualTo(1);
    }
  }

  @Test
  void aMultiprocessorHoldsTheSharedMemoryOfABlockAtLeast() {
    SimulatedDevice.Builder builder = SimulatedDevice.builder();
    assertThat(builder.sharedBytesPerMultiprocessor(SMALLEST_SHARED_BYTES)).isSameAs(builder);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.sharedBytesPerMultiprocessor(SMALLEST_SHARED_BYTES - 1));
  }

  @Test
  void aVariableHasTheAlignmentOfAnAllocationAtMost() {
    String kernel = ".visible .entry nothing() { ret; }";
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire()) {
      assertThat(LoadedModule.of(stream, image(".global .align 512 .b32 a;\n", kernel)))
          .isNotNull();
      assertThatThrownBy(
              () -> LoadedModule.of(stream, image(".global .align 1024 .b32 a;\n", kernel)))
          .hasMessageContaining("its variable 'a'");
    }
  }

  @Test
  void aDeviceHasObjectsFromItsOpeningToItsClose() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    assertThat(device.liveObjects()).isZero();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      stream.synchronize();
      assertThat(device.liveObjects()).isPositive();
    }
    assertThat(device.liveObjects()).isZero();
  }
}

package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayInputStream;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class KernelLoadTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aMissingResourceIsNamed() {
    KernelImage missing =
        KernelImage.resource("kernels/nowhere.ptx", KernelLoadTest.class::getResourceAsStream);
    assertThatThrownBy(() -> LoadedModule.of(stream, missing))
        .isInstanceOfSatisfying(
            KernelLoadException.class, e -> assertThat(e.module()).isEqualTo("kernels/nowhere.ptx"))
        .hasMessageContaining("no such resource");
  }

  @Test
  void corruptPtxIsRefusedWithItsLine() {
    KernelImage corrupt =
        KernelImage.of(
            "corrupt.ptx",
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry (".getBytes(UTF_8));
    assertThatThrownBy(() -> LoadedModule.of(stream, corrupt))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("corrupt.ptx")
        .hasMessageContaining("line 4");
  }

  @Test
  void aMissingEntryIsRefusedWithTheExistingOnes() {
    KernelSignature missing = KernelSignature.entry("absent").shape("shape");
    assertThatThrownBy(() -> LoadedModule.of(stream, VectorKernels.IMAGE).recorder(missing))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("absent")
        .hasMessageContaining("saxpy");
  }

  @Test
  void anotherNumberOfParametersIsRefusedWithBothNumbers() {
    KernelSignature tooFew =
        KernelSignature.entry("increment").readWrites("values", int[].class).shape("shape");
    assertThatThrownBy(() -> LoadedModule.of(stream, VectorKernels.IMAGE).recorder(tooFew))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("increment takes 2 parameters; the interface passes 1");
  }

  @Test
  void aParameterOfAnotherSizeIsRefusedByName() {
    KernelSignature wide =
        KernelSignature.entry("increment")
            .readWrites("values", int[].class)
            .threads("n", long.class, 256);
    assertThatThrownBy(() -> LoadedModule.of(stream, VectorKernels.IMAGE).recorder(wide))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("parameter 'n' of increment")
        .hasMessageContaining("8 bytes")
        .hasMessageContaining("4");
  }

  @Test
  void aFloatForAnIntegerIsRefusedByName() {
    KernelSignature floating =
        KernelSignature.entry("increment")
            .readWrites("values", int[].class)
            .value("n", float.class)
            .shape("shape");
    assertThatThrownBy(() -> LoadedModule.of(stream, VectorKernels.IMAGE).recorder(floating))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("parameter 'n' of increment");
  }

  @Test
  void ptxForANewerDeviceIsRefusedWithBothNumbers() {
    SimulatedDevice old = SimulatedDevice.builder().computeCapability(7, 5).build();
    KernelImage newer =
        KernelImage.of(
            "newer.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n".getBytes(UTF_8));
    try (DeviceRuntime turing = DeviceRuntime.simulated(old)) {
      DeviceStream on = turing.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(on, newer))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("PTX for sm_90")
          .hasMessageContaining("compute capability 7.5");
    }
    assertThat(LoadedModule.of(stream, newer)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {".address_size 32\n", ""})
  void addressesOf32BitsAreRefusedByName(String addressSize) {
    byte[] narrow = (".version 7.0\n.target sm_75\n" + addressSize).getBytes(UTF_8);
    KernelImage compared =
        KernelImage.resource(
            "narrow.ptx", KernelImage.sha256(narrow), name -> new ByteArrayInputStream(narrow));
    for (KernelImage image : List.of(KernelImage.of("narrow.ptx", narrow), compared)) {
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("narrow.ptx: it is PTX with addresses of 32 bits")
          .hasMessageContaining(".address_size 64");
      assertThat(device.calls(DriverCall.LOAD_MODULE)).isZero();
    }
  }

  @Test
  void anImageIsLoadedOncePerRuntime() {
    VectorKernels.on(stream);
    VectorKernels.on(gpu.streams().acquire());
    assertThat(device.calls(DriverCall.LOAD_MODULE)).isEqualTo(1);
  }

  @Test
  void aLoadThatTheDriverFailsNamesTheImageAndTheKernel() {
    device.failCall(DriverCall.LOAD_MODULE, 1, 2);
    assertThatThrownBy(() -> LoadedModule.of(stream, VectorKernels.IMAGE))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).isEqualTo("loading kernels/vector.ptx"));
    LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
    device.failCall(DriverCall.FUNCTION, 1, 2);
    assertThatThrownBy(() -> module.recorder(VectorKernels.INCREMENT))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e ->
                assertThat(e.purpose())
                    .isEqualTo("loading kernel increment of kernels/vector.ptx"));
  }

  @Test
  void aFailedLoadMayBeRepeated() {
    device.failCall(DriverCall.LOAD_MODULE, 1, 2);
    assertThatThrownBy(() -> VectorKernels.on(stream)).hasMessageContaining("cuModuleLoadDataEx");
    VectorKernels.on(stream);
  }

  @Test
  void aStreamOfAClosedRuntimeIsRefused() {
    gpu.close();
    assertThatThrownBy(() -> VectorKernels.on(stream)).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void aModuleIsRefusedAfterItsRuntimeIsClosed() {
    LoadedModule kept = LoadedModule.of(stream, VectorKernels.IMAGE);
    gpu.close();
    assertThatThrownBy(() -> kept.recorder(VectorKernels.INCREMENT))
        .isInstanceOf(RuntimeClosedException.class)
        .hasMessageContaining("is closed");
  }
}

package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Modules that the claimed device or driver does not take. */
final class ModuleLimitsTest {
  private static final long MEMORY = 1 << 20;

  private final SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(MEMORY).build();
  private final CudaDriver driver = Inside.open(device);

  @AfterEach
  void nothingIsLeft() {
    assertThat(driver.memoryInfo().freeInBytes()).isEqualTo(MEMORY);
    driver.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static byte[] ptx(String version, String target, String body) {
    return (".version " + version + "\n.target " + target + "\n.address_size 64\n" + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] module(String body) {
    return ptx("7.0", "sm_75", body + "\n.visible .entry k() { ret; }\n");
  }

  @ParameterizedTest
  @ValueSource(longs = {MEMORY + 1, 3L << 30, 1L << 46})
  void aVariableThatIsLargerThanTheDeviceIsNamedWithItsModule(long bytes) {
    byte[] module = module(".global .b8 small[16];\n.global .b8 big[" + bytes + "];");
    assertThatThrownBy(() -> driver.loadModule("big.ptx", module))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.code()).isEqualTo(ResultCode.OUT_OF_MEMORY))
        .hasMessageContaining("module big.ptx")
        .hasMessageContaining("'big'")
        .hasMessageContaining(bytes + " bytes");
  }

  @Test
  void variablesThatDoNotFitTogetherLeaveNothing() {
    long each = MEMORY / 2 + 512;
    byte[] module = module(".global .b8 a[" + each + "];\n.global .b8 b[" + each + "];");
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> driver.loadModule("two.ptx", module))
          .hasMessageContaining("module two.ptx")
          .hasMessageContaining("'b'");
    }
    ModuleHandle one = driver.loadModule("one.ptx", module(".global .b8 a[" + each + "];"));
    driver.unloadModule(one);
  }

  @Test
  void aVariableTooLargeForTheJavaHeapIsNamedWithItsModule() {
    SimulatedDevice huge = SimulatedDevice.builder().memoryInBytes(1L << 44).build();
    try (CudaDriver opened = Inside.open(huge)) {
      byte[] module = module(".global .b8 big[" + (1L << 43) + "];");
      assertThatThrownBy(() -> opened.loadModule("big.ptx", module))
          .hasMessageContaining("module big.ptx")
          .hasMessageContaining("'big'")
          .hasMessageContaining("-Xmx");
    }
    assertThat(huge.liveObjects()).isZero();
  }

  @Test
  void moreConstantsThanADeviceHoldsAreRefused() {
    driver.unloadModule(driver.loadModule("c.ptx", module(".const .b8 c[65536];")));
    assertThatThrownBy(() -> driver.loadModule("c.ptx", module(".const .b8 c[65537];")))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("c.ptx")
        .hasMessageContaining("65537 bytes of constants")
        .hasMessageContaining("65536");
  }

  @Test
  void anEntryWithMoreStaticSharedMemoryThanABlockHasIsRefused() {
    ModuleHandle fits = driver.loadModule("s.ptx", module(".shared .b8 s[49152];"));
    driver.function(fits, "k");
    driver.unloadModule(fits);
    ModuleHandle tooLarge = driver.loadModule("s.ptx", module(".shared .b8 s[49153];"));
    assertThatThrownBy(() -> driver.function(tooLarge, "k"))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("s.ptx")
        .hasMessageContaining("entry k")
        .hasMessageContaining("49153")
        .hasMessageContaining("49152");
    driver.unloadModule(tooLarge);
  }

  @Test
  void aVariableOfUnsupportedAlignmentIsNamedWithItsModule() {
    assertThatThrownBy(() -> driver.loadModule("a.ptx", module(".global .align 1024 .b8 far[4];")))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("a.ptx")
        .hasMessageContaining("'far'")
        .hasMessageContaining("1024");
  }

  @Test
  void anInitialValueThatCannotBeComputedLeavesNothing() {
    assertThatThrownBy(() -> driver.loadModule("i.ptx", module(".global .b64 p = nowhere;")))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("i.ptx");
  }

  @ParameterizedTest
  @CsvSource({
    "9.0, sm_75, 0",
    "9.0, sm_90, 0",
    "9.0, sm_90a, 0",
    "9.1, sm_75, 222",
    "10.0, sm_75, 222",
    "9.0, sm_100, 209",
    "9.0, sm_80a, 209",
    "9.0, sm_100f, 209"
  })
  void aModuleNewerThanTheClaimedDriverOrDeviceIsRefusedWithTheDriversCode(
      String version, String target, int code) {
    byte[] module = ptx(version, target, ".visible .entry k() { ret; }\n");
    if (code == 0) {
      driver.unloadModule(driver.loadModule("v.ptx", module));
    } else {
      assertThatThrownBy(() -> driver.loadModule("v.ptx", module))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("v.ptx")
          .hasMessageContaining(ResultCode.name(code) + " (" + code + ")");
    }
  }

  @ParameterizedTest
  @CsvSource({"10, 3, sm_100f, true", "10, 3, sm_100a, false", "10, 3, sm_90a, false"})
  void aModuleForOneArchitectureOrFamilyRunsThere(
      int major, int minor, String target, boolean runs) {
    SimulatedDevice newer = SimulatedDevice.builder().computeCapability(major, minor).build();
    try (CudaDriver opened = Inside.open(newer)) {
      byte[] module = ptx("9.0", target, ".visible .entry k() { ret; }\n");
      if (runs) {
        opened.unloadModule(opened.loadModule("v.ptx", module));
      } else {
        assertThatThrownBy(() -> opened.loadModule("v.ptx", module))
            .hasMessageContaining("CUDA_ERROR_NO_BINARY_FOR_GPU");
      }
    }
  }

  @Test
  void theRuntimeNamesTheVersionsThatTheClaimedDriverTakes() {
    KernelImage image =
        KernelImage.of("new.ptx", ptx("9.2", "sm_75", ".visible .entry k() { ret; }\n"));
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build())) {
      DeviceStream stream = gpu.streams().acquire();
      assertThatThrownBy(() -> LoadedModule.of(stream, image))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("new.ptx")
          .hasMessageContaining("it is PTX of version 9.2")
          .hasMessageContaining("CUDA 13.0")
          .hasMessageContaining("up to 9.0");
    }
  }
}
